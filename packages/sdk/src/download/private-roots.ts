import { CairnError, createGatewayLink } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { call } from '../request.ts'
import type { ContentPath } from './content-path.ts'
import { keepRecent } from './keep-recent.ts'

/** The expiry does not interrupt a download that has started. */
const lifetimeSeconds = 3600
const renewBeforeMs = 600_000
/** Maximum number of roots whose links a client keeps: the least recently read are signed again. */
const maxRoots = 1000

/** The query of a signed link to a private root, and when to sign another one. */
type RootLink = { readonly query: string; readonly renewAt: number }

/** Links to the private roots that a client has read, the most recently read last. */
const links = new WeakMap<Client, Map<string, RootLink>>()

/** Whether this root is a private upload that the client reads through a signed link. Then only paths below it can be read. */
export function isPrivateRoot(client: Client, { root }: Pick<ContentPath, 'root'>): boolean {
  return links.get(client)?.has(root.toString()) === true
}

/**
 * Returns the query of a link to a root that the client knows to be private, so that the gateway is not asked without one first;
 * undefined for other roots.
 */
export async function findKnownLink(
  client: Client,
  { root }: ContentPath,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const known = links.get(client)
  const name = root.toString()
  const link = known?.get(name)
  if (known === undefined || link === undefined) return undefined
  if (Date.now() >= link.renewAt) return signLink(client, name, signal)
  keepRecent(known, name, link, maxRoots)
  return link.query
}

/**
 * Signs a link to a root, and keeps it: the root may be a private upload of the account. Returns its query, which begins with an
 * ampersand, or undefined if the root is not one of the account.
 */
export async function signLink(
  client: Client,
  root: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const known = links.get(client) ?? new Map<string, RootLink>()
  links.set(client, known)
  const link = await requestLink(client, root, signal)
  if (link === undefined) known.delete(root)
  else keepRecent(known, root, link, maxRoots)
  return link?.query
}

/**
 * Requests a link with the API key, which never reaches a gateway. Returns undefined if the root is not one of the account, or the
 * gateway of the client is another one: its operator must not get the link.
 * @throws CairnError API_KEY_EXPIRED, API_KEY_REVOKED, UNAUTHENTICATED: the content may be there, for a key that is valid
 */
async function requestLink(
  client: Client,
  root: string,
  signal: AbortSignal | undefined,
): Promise<RootLink | undefined> {
  try {
    const body = { cid: root, expiresInSeconds: lifetimeSeconds }
    const { url, expiresAt } = await call(client, createGatewayLink, { body }, { signal })
    const { origin, search } = new URL(url)
    if (origin !== new URL(client.network.gateway).origin) return undefined
    return { query: search.replace('?', '&'), renewAt: expiresAt - renewBeforeMs }
  } catch (error) {
    // If the key may not sign links, or the service does not support them, the content stays not found.
    if (CairnError.is(error) && [403, 404].includes(error.status)) return undefined
    throw error
  }
}
