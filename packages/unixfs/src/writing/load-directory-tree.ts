/** Loads `createDirectoryTree` on demand: few uploads of pages have folders. */
export const loadDirectoryTree = async () => (await import('./directory-tree.ts')).createDirectoryTree
