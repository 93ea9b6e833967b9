import type { NetworkProfile } from '@cairn/sdk'

/**
 * Where the gateway serves a CID, or a path below one. It is another origin than ours: nothing that was uploaded ever runs
 * beside the session.
 * @param options `download`: as a file to be saved, under this name
 */
export function gatewayUrl(
  { gateway }: Pick<NetworkProfile, 'gateway'>,
  cidPath: string,
  { download, filename }: { download?: boolean; filename?: string } = {},
): string {
  const path = cidPath.split('/').filter(Boolean).map(encodeURIComponent).join('/')
  const query = new URLSearchParams()
  if (filename !== undefined) query.set('filename', filename)
  if (download === true) query.set('download', 'true')
  return `${gateway.replace(/\/+$/, '')}/ipfs/${path}${query.size === 0 ? '' : `?${query}`}`
}
