import { CairnError, joinUrl, parseUploadLinkToken } from '@cairn/protocol'
import { type Client, createClient } from '../client.ts'
import { loadNetwork } from '../load-network.ts'

const path = '/upload-link'

/** Returns the URL of an upload link. The secret is in its fragment, which programs never send to a server. */
export function formatUploadLink(api: string, token: string): string {
  return joinUrl(api, `${path}#${token}`)
}

/**
 * Returns a client of the network of a link that has the rights of the link.
 * @throws CairnError INVALID_REQUEST, NO_NETWORK, NETWORK_ERROR
 */
export async function openUploadLink(
  link: string,
  signal: AbortSignal | undefined,
): Promise<{ client: Client; token: string }> {
  const url = URL.parse(String(link).trim())
  const token = url?.hash.slice(1) ?? ''
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url === null || !isWeb || !url.pathname.endsWith(path) || parseUploadLinkToken(token) === undefined) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'The upload link is incomplete',
      hint: 'Copy the whole link, with the part after #.',
    })
  }
  const network = await loadNetwork(`${url.origin}${url.pathname.slice(0, -path.length)}`, signal && { signal })
  return { client: createClient({ network, apiKey: token }), token }
}
