import { type Client, createGatewayLink, type NetworkProfile } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { type GatewayUrlOptions, gatewayUrl } from '../network/gateway-url.ts'
import { queryClient } from '../network/query-client.ts'
import { useNetwork } from '../network/use-network.ts'
import { useClient } from '../session/use-client.ts'

/** A CID, or a path below one, and whether the gateway serves it through signed links only. */
export type ContentPlace = { cidPath: string; isPrivate: boolean }

type ContentUrlOptions = Omit<GatewayUrlOptions, 'signature'>

/** Long, because a video that was paused for hours still fetches its next range with the same link. */
const lifetimeSeconds = 12 * 3600
/** Links are signed again an hour before they expire. */
const freshMs = 11 * 3600 * 1000

const queryKey = 'signed-link'

/**
 * The query of a link to exactly this path: its address may be copied from a tab, and then opens no more than what the tab
 * shows. Only the query is used, so that it goes to the gateway of the network.
 */
const signatureQuery = (client: Client, cidPath: string) => ({
  queryKey: [queryKey, cidPath],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { url } = await createGatewayLink(client, cidPath, { expiresInSeconds: lifetimeSeconds, signal })
    return new URL(url).search
  },
  staleTime: freshMs,
})

/** Returns where the gateway serves content to this user; undefined while a link to private content is signed. */
export function useContentUrl({ cidPath, isPrivate }: ContentPlace) {
  const network = useNetwork()
  const client = useClient()
  const { data, error, refetch } = useQuery({ ...signatureQuery(client, cidPath), enabled: isPrivate })
  const urlOf = (options: ContentUrlOptions = {}): string | undefined => {
    if (!isPrivate) return gatewayUrl(network, cidPath, options)
    return data === undefined ? undefined : gatewayUrl(network, cidPath, { ...options, signature: data })
  }
  return { urlOf, error, refetch }
}

/** The same outside of components. */
export async function findContentUrl(
  client: Client,
  network: NetworkProfile,
  { cidPath, isPrivate }: ContentPlace,
  options: ContentUrlOptions,
): Promise<string> {
  if (!isPrivate) return gatewayUrl(network, cidPath, options)
  const signature = await queryClient.fetchQuery(signatureQuery(client, cidPath))
  return gatewayUrl(network, cidPath, { ...options, signature })
}

/** Signs a link for other people, with the lifetime that the owner chose. */
export async function signContentUrl(
  client: Client,
  network: NetworkProfile,
  cidPath: string,
  { expiresInSeconds, ...options }: ContentUrlOptions & { expiresInSeconds: number },
): Promise<{ url: string; expiresAt: number }> {
  const { url, expiresAt } = await createGatewayLink(client, cidPath, { expiresInSeconds })
  return { url: gatewayUrl(network, cidPath, { ...options, signature: new URL(url).search }), expiresAt }
}

/** Removes the links that no element uses: a link signed for a deleted upload does not open another upload of the same content. */
export function dropContentUrls(): void {
  queryClient.removeQueries({ queryKey: [queryKey], type: 'inactive' })
}
