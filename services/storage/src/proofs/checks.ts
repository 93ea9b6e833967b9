import { parsePieceCid } from '@cairn/pieces'
import {
  CairnError,
  type CallResult,
  type challengeAnswerSchema,
  type listChecks,
  type PossessionCheck,
} from '@cairn/protocol'
import type * as v from 'valibot'
import type { Database } from '../db/database.ts'
import { readFacts } from '../db/stored-reasons.ts'
import type { CheckRow, DealRow } from '../deals/deals.ts'

const checksOfPage = 50

/** A page of challenges: those older than `after`. */
export type ChecksPage = { after?: string | undefined; limit?: number | undefined }

/** Returns the challenges of a piece or aggregate, newest first. @throws CairnError PIECE_NOT_FOUND, INVALID_PIECE_CID */
export async function findChecks(
  { db }: { db: Database },
  piece: string,
  { after, limit = checksOfPage }: ChecksPage,
): Promise<CallResult<typeof listChecks>> {
  parsePieceCid(piece)
  const own = await db.read
    .selectFrom('aggregate')
    .select('id')
    .where('cid', '=', piece)
    .union(({ selectFrom }) =>
      selectFrom('piece')
        .innerJoin('aggregate', 'aggregate.id', 'piece.aggregate_id')
        .select('aggregate.id')
        .where('piece.cid', '=', piece),
    )
    .execute()
  if (own.length === 0) throw new CairnError('PIECE_NOT_FOUND', { message: 'The piece is unknown to this service' })
  let query = db.read
    .selectFrom('possession_check')
    .innerJoin('deal', 'deal.number', 'possession_check.deal_number')
    .selectAll('possession_check')
    .where(
      'deal.aggregate_id',
      'in',
      own.map(({ id }) => id),
    )
  if (after !== undefined) query = query.where('possession_check.id', '<', after)
  const rows = await query.orderBy('possession_check.id', 'desc').limit(limit).execute()
  return { checks: rows.map(describeCheck) }
}

/** Returns the newest challenge of a deal that its provider answered correctly; null if there is none. */
export async function findLastProof({ db }: { db: Database }, deal: DealRow): Promise<PossessionCheck | null> {
  const row = await db.read
    .selectFrom('possession_check')
    .selectAll()
    .where('deal_number', '=', deal.number)
    .where('outcome', '=', 'proved')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : describeCheck(row)
}

function describeCheck(row: CheckRow): PossessionCheck {
  return {
    id: row.id,
    dealId: row.deal_number,
    askedAt: row.asked_at,
    outcome: row.outcome,
    reason: row.reason,
    reasonFacts: readFacts(row.reason_facts),
    nonce: row.nonce,
    nonceSource: row.nonce_source,
    leafCount: row.leaf_count,
    // The call's schema validated it before it was stored.
    answer: row.answer === null ? null : (JSON.parse(row.answer) as v.InferOutput<typeof challengeAnswerSchema>),
  }
}
