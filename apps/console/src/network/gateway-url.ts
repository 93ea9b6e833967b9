import { joinUrl } from '@cairn/protocol'
import type { NetworkProfile } from '@cairn/sdk'

export type GatewayUrlOptions = { download?: boolean; filename?: string; isFolder?: boolean; signature?: string }

/**
 * Where the gateway serves a CID, or a path below one. It is another origin than ours: nothing that was uploaded ever runs
 * beside the session.
 * @param options `download`: as a file to be saved, under this name; `isFolder`: all of it, as one TAR archive; `signature`: the query of a
 * signed link, which opens private content
 */
export function gatewayUrl(
  { gateway }: Pick<NetworkProfile, 'gateway'>,
  cidPath: string,
  { download, filename, isFolder, signature }: GatewayUrlOptions = {},
): string {
  const path = cidPath.split('/').filter(Boolean).map(encodeURIComponent).join('/')
  const query = new URLSearchParams()
  const isArchive = isFolder === true && download === true
  if (isArchive) query.set('format', 'tar')
  if (filename !== undefined) query.set('filename', isArchive ? `${filename}.tar` : filename)
  if (download === true) query.set('download', 'true')
  for (const [name, value] of new URLSearchParams(signature)) query.set(name, value)
  return joinUrl(gateway, `/ipfs/${path}${query.size === 0 ? '' : `?${query}`}`)
}
