/** Maximum number of names below the CID of a content path. */
export const maxPathNames = 512
