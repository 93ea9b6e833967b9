/**
 * Media types by which `add` of Kubo knows the parts of an upload that are no files.
 * @see https://docs.ipfs.tech/reference/kubo/rpc/#api-v0-add
 */
export const partTypes = { emptyFolder: 'application/x-directory', symbolicLink: 'application/symlink' } as const
