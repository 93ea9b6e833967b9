import { CairnError, type CallResult, type Deal, type getProofs, type listChecks } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { AggregatePayload, DealRow } from '../deals/deals.ts'
import type { AggregateRow } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import { createAggregateFinder, type FindAggregate } from './aggregate-finder.ts'
import { type ChecksPage, findChecks } from './checks.ts'
import { describeDeal } from './describe-deal.ts'
import { describePiece } from './describe-piece.ts'
import { findPlacement, type Placement } from './find-placement.ts'
import { openPayload } from './open-payload.ts'

/** Proofs of stored content. */
export type Proofs = {
  /** Returns the placement of a CID, described from piece `from` on; undefined when it is not stored. */
  place(cid: CID, from?: number): Promise<Placement | undefined>
  /**
   * Returns everything needed to verify a CID, with the bytes of its root block.
   * @throws CairnError CONTENT_DENIED, CONTENT_DENIED_BY_LAW, BLOCK_NOT_FOUND, PROOF_NOT_FOUND, PIECE_DAMAGED
   */
  describe(cid: CID, from?: number): Promise<CallResult<typeof getProofs>>
  findAggregate: FindAggregate
  /**
   * Returns the challenges of a piece or aggregate, newest first. @throws CairnError PIECE_NOT_FOUND,
   * INVALID_PIECE_CID
   */
  listChecks(piece: string, page: ChecksPage): Promise<CallResult<typeof listChecks>>
  /** Opens what a provider with this token may fetch. @throws CairnError UNAUTHENTICATED, PIECE_NOT_FOUND */
  openPayload(piece: string, token: string): Promise<AggregatePayload>
  /** Describes a provider's deal for users. */
  describeDeal(deal: DealRow, aggregate: AggregateRow): Deal
}

/** Creates proofs from the rows of this service. */
export function createProofs(context: Context, providers: readonly Provider[]): Proofs {
  const findAggregate = createAggregateFinder(context.db)
  return {
    place: (cid, from) => findPlacement(context, cid, from),
    async describe(cid, from = 0) {
      context.denylist.requireContent(cid)
      const placement = await findPlacement(context, cid, from)
      if (placement === undefined) throw new CairnError('BLOCK_NOT_FOUND', { details: { cid: cid.toString() } })
      if (placement.pieces.length === 0 && from === 0) throw new CairnError('PROOF_NOT_FOUND')
      const { waitingPacks, furtherPieces, block } = placement
      const pieces = await Promise.all(
        placement.pieces.map((piece) => describePiece({ context, providers, findAggregate }, piece, block)),
      )
      const { challengeMs } = context.config.deals
      return { cid: cid.toString(), challengeMs, waitingPacks, furtherPieces, pieces }
    },
    findAggregate,
    listChecks: (piece, page) => findChecks(context, piece, page),
    openPayload: (piece, token) => openPayload(context, providers, piece, token),
    describeDeal: (deal, aggregate) => describeDeal(providers, deal, aggregate),
  }
}
