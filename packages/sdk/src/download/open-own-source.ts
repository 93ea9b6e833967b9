import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CarQuery, type CarSource, openCarSource } from './car-source.ts'
import type { ContentPath } from './content-path.ts'

/** Signs links to private roots. Loaded when the gateway does not find a root for the first time. */
let links: typeof import('./private-roots.ts') | undefined

/**
 * Opens content as {@link openCarSource} does. If the gateway does not have it, opens it as a private upload of the account: the
 * service signs a link for the API key, and the gateway receives the link.
 */
export async function openOwnSource(
  client: Client,
  path: ContentPath,
  query: CarQuery,
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  const open = (link = '') => openCarSource(client, path, { ...query, more: (query.more ?? '') + link }, signal)
  try {
    return await open(await links?.findKnownLink(client, path, signal))
  } catch (error) {
    if (client.apiKey === undefined || !CairnError.is(error, 'BLOCK_NOT_FOUND')) throw error
    links ??= await import('./private-roots.ts')
    const link = await links.signLink(client, path.root.toString(), signal)
    if (link === undefined) throw error
    return open(link)
  }
}

/**
 * Opens a private upload of the account as {@link openOwnSource} does, without requesting it from the gateway without a link
 * first.
 */
export async function openPrivateSource(
  client: Client,
  path: ContentPath,
  query: CarQuery,
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  links ??= await import('./private-roots.ts')
  if ((await links.findKnownLink(client, path, signal)) === undefined)
    await links.signLink(client, path.root.toString(), signal)
  return openOwnSource(client, path, query, signal)
}
