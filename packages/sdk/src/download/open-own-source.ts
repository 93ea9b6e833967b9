import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CarQuery, type CarSource, openCarSource } from './car-source.ts'
import type { ContentPath } from './content-path.ts'

/** Opens content as {@link openCarSource} does, or, if the gateway has none, as a private upload of the account. */
export async function openOwnSource(
  client: Client,
  path: ContentPath,
  query: CarQuery,
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  try {
    return await openCarSource(client, path, query, signal)
  } catch (error) {
    if (client.apiKey === undefined || !CairnError.is(error, 'BLOCK_NOT_FOUND')) throw error
    const { requestPrivately } = await import('./private-roots.ts')
    return requestPrivately(client, path, error, (link) =>
      openCarSource(client, path, { ...query, more: `${query.more ?? ''}${link}` }, signal),
    )
  }
}
