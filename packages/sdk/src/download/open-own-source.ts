import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CarQuery, type CarSource, openCarSource } from './car-source.ts'
import type { ContentPath } from './content-path.ts'

/** Signs links to private roots. Loaded by the first root that the gateway does not find. */
let links: typeof import('./private-roots.ts') | undefined

/**
 * Opens content as {@link openCarSource} does, or, if the gateway has none, as a private upload of the account: then the service
 * signs a link with the API key, and the gateway gets the link.
 */
export async function openOwnSource(
  client: Client,
  path: ContentPath,
  query: CarQuery,
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  const open = (link = '') => openCarSource(client, path, { ...query, more: (query.more ?? '') + link }, signal)
  try {
    return await open(await links?.findKnownLink(client, path))
  } catch (error) {
    if (client.apiKey === undefined || !CairnError.is(error, 'BLOCK_NOT_FOUND')) throw error
    links ??= await import('./private-roots.ts')
    const link = await links.signLink(client, path.root.toString())
    if (link === undefined) throw error
    return open(link)
  }
}

/**
 * Opens a private upload of the account as {@link openOwnSource} does, without asking the gateway first whether it has the content
 * without a link.
 */
export async function openPrivateSource(
  client: Client,
  path: ContentPath,
  query: CarQuery,
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  links ??= await import('./private-roots.ts')
  if ((await links.findKnownLink(client, path)) === undefined) await links.signLink(client, path.root.toString())
  return openOwnSource(client, path, query, signal)
}
