/**
 * Media types that mark the parts of an upload that are not files, as in `add` of Kubo.
 * @see https://docs.ipfs.tech/reference/kubo/rpc/#api-v0-add
 */
export const partTypes = { emptyFolder: 'application/x-directory', symbolicLink: 'application/symlink' } as const
