/** A page has no files on disk. */
export const openSlab = undefined
