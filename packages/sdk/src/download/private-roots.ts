import { CairnError, createGatewayLink } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { call } from '../request.ts'
import type { ContentPath } from './content-path.ts'

/** A download that has started is not ended by the expiry. */
const lifetimeSeconds = 3600
const renewBeforeMs = 600_000

/** The query of a signed link to a private root, and when to sign another one. */
type RootLink = { readonly query: string; readonly renewAt: number }

/** Links to the private roots that a client has read. */
const links = new WeakMap<Client, Map<string, RootLink>>()

/** Whether this root is a private upload that the client reads through a signed link. Then only paths below it can be read. */
export function isPrivateRoot(client: Client, { root }: Pick<ContentPath, 'root'>): boolean {
  return links.get(client)?.has(root.toString()) === true
}

/**
 * Requests once more what the gateway did not find: the root may be a private upload of the account. Then the service signs
 * a link with the API key, and the gateway gets the link. The key never reaches a gateway.
 * @param failure why the first request failed
 * @param request requests the same with the query of the link, which begins with an ampersand
 * @throws CairnError `failure` if the root is not one of the account, and what `request` throws
 */
export async function requestPrivately<T>(
  client: Client,
  { root }: ContentPath,
  failure: unknown,
  request: (link: string) => Promise<T>,
): Promise<T> {
  const known = links.get(client) ?? new Map<string, RootLink>()
  links.set(client, known)
  const name = root.toString()
  const kept = known.get(name)
  const link = kept !== undefined && Date.now() < kept.renewAt ? kept : await signLink(client, name)
  if (link === undefined) throw failure
  known.set(name, link)
  return request(link.query)
}

/**
 * Signs a link to a root. Returns undefined if it is not one of the account, or the gateway of the client is another one: its
 * operator must not get the link.
 */
async function signLink(client: Client, root: string): Promise<RootLink | undefined> {
  try {
    const body = { cid: root, expiresInSeconds: lifetimeSeconds }
    const { url, expiresAt } = await call(client, createGatewayLink, { body })
    const { origin, search } = new URL(url)
    if (origin !== new URL(client.network.gateway).origin) return undefined
    return { query: search.replace('?', '&'), renewAt: expiresAt - renewBeforeMs }
  } catch (error) {
    // A key that may not sign links, and a service that knows none, leave the content as it is: not found.
    if (CairnError.is(error) && [401, 403, 404].includes(error.status)) return undefined
    throw error
  }
}
