import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { type AggregatePayload, hashToken, openAggregate } from '../deals/deals.ts'
import type { Provider } from '../providers/providers.ts'

/** Opens what a provider with this token may fetch. @throws CairnError UNAUTHENTICATED, PIECE_NOT_FOUND */
export async function openPayload(
  context: Context,
  providers: readonly Provider[],
  piece: string,
  token: string,
): Promise<AggregatePayload> {
  const { db } = context
  const row = await db.read
    .selectFrom('deal')
    .innerJoin('aggregate', 'aggregate.id', 'deal.aggregate_id')
    .selectAll('aggregate')
    .where('deal.token_hash', '=', hashToken(token))
    .where('deal.state', 'in', ['queued', 'offered'])
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('UNAUTHENTICATED')
  if (row.cid !== piece) throw new CairnError('PIECE_NOT_FOUND', { message: 'The token is for another piece' })
  const failed = await db.read
    .selectFrom('deal')
    .select('number')
    .where('aggregate_id', '=', row.id)
    .where('state', '=', 'failed')
    .limit(1)
    .executeTakeFirst()
  return openAggregate(context, providers, row, failed !== undefined)
}
