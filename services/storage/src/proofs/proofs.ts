import {
  type Aggregate,
  buildAggregate,
  encodePieceCidV1,
  paddedBytesOf,
  parsePieceCid,
  proveByteRange,
} from '@cairn/pieces'
import {
  CairnError,
  type CallResult,
  type challengeAnswerSchema,
  type Deal,
  type getProofs,
  type listChecks,
  maxProofDeals,
  maxProofPieces,
  type PossessionCheck,
} from '@cairn/protocol'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { CID } from 'multiformats/cid'
import type * as v from 'valibot'
import type { Context } from '../context.ts'
import { readFacts } from '../db/stored-reasons.ts'
import {
  type AggregatePayload,
  activeStates,
  type CheckRow,
  type DealRow,
  findDealsOf,
  hashToken,
  openAggregate,
} from '../deals/deals.ts'
import {
  type AggregateRow,
  findPacksIn,
  findPiecesOf,
  type PiecePackRow,
  type PieceRow,
  readPacks,
  readTree,
  toParts,
  toPiece,
} from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'

/** Number of built aggregates kept in memory: each takes thousands of hashes to build. */
const aggregatesKept = 32
const checksOfPage = 50

/** Where a stored CID is placed: its pieces, that of the root block first. */
export type Placement = {
  readonly pieces: readonly { row: PieceRow; packs: readonly PiecePackRow[] }[]
  readonly block: { pack: PiecePackRow; offset: number; length: number } | undefined
  readonly waitingPacks: number
  readonly furtherPieces: number
}

/** Proofs of stored content. */
export type Proofs = {
  /** Returns the placement of a CID, described from piece `from` on; undefined when it is not stored. */
  place(cid: CID, from?: number): Promise<Placement | undefined>
  /**
   * Returns everything needed to verify a CID, with the bytes of its root block.
   * @throws CairnError CONTENT_DENIED, CONTENT_DENIED_BY_LAW, BLOCK_NOT_FOUND, PROOF_NOT_FOUND, PIECE_DAMAGED
   */
  describe(cid: CID, from?: number): Promise<CallResult<typeof getProofs>>
  /** Returns the aggregate of a piece with its proofs and deals; undefined while it is in none, or in one that is ending. */
  findAggregate(piece: PieceRow): Promise<{ row: AggregateRow; aggregate: Aggregate; deals: DealRow[] } | undefined>
  /**
   * Returns the challenges of a piece or aggregate, newest first. @throws CairnError PIECE_NOT_FOUND,
   * INVALID_PIECE_CID
   */
  listChecks(
    piece: string,
    page: { after?: string | undefined; limit?: number | undefined },
  ): Promise<CallResult<typeof listChecks>>
  /** Opens what a provider with this token may fetch. @throws CairnError UNAUTHENTICATED, PIECE_NOT_FOUND */
  openPayload(piece: string, token: string): Promise<AggregatePayload>
  /** Describes a provider's deal for users. */
  describeDeal(deal: DealRow, aggregate: AggregateRow): Deal
}

/** Creates proofs from the rows of this service. */
export function createProofs(context: Context, providers: readonly Provider[]): Proofs {
  const { db, objects, config } = context
  const built = new Map<string, Promise<Aggregate | undefined>>()

  // Cached as promises: concurrent callers wait for a single build.
  const build = (row: AggregateRow): Promise<Aggregate | undefined> => {
    const known = built.get(row.id)
    if (known !== undefined) return known
    const [oldest] = built.keys()
    if (built.size >= aggregatesKept && oldest !== undefined) built.delete(oldest)
    const building = findPiecesOf(db.read, row.id).then((pieces) =>
      // The pieces of an aggregate that is ending move to others one by one: the rest is not the aggregate.
      pieces.length === row.piece_count ? buildAggregate(pieces.map(toPiece)) : undefined,
    )
    built.set(row.id, building)
    building.then(
      (aggregate) => aggregate ?? built.delete(row.id),
      () => built.delete(row.id),
    )
    return building
  }

  const proofs: Proofs = {
    async place(cid, from = 0) {
      const [location] = await context.packs.locate([cid.multihash.bytes])
      if (location === undefined) return undefined
      // One of several uploads of the same content suffices: each needs all of it. Private ones are in no piece.
      const upload = await db.read
        .selectFrom('upload')
        .select('id')
        .where('root_multihash', '=', cid.multihash.bytes)
        .where('is_private', '=', 0)
        .limit(1)
        .executeTakeFirst()
      const uploadId = upload?.id ?? ''
      const found = await Promise.all([
        db.read.selectFrom('piece_pack').selectAll().where('pack_id', '=', location.packId).execute(),
        db.read
          .selectFrom('upload_pack')
          .innerJoin('piece_pack', 'piece_pack.pack_id', 'upload_pack.pack_id')
          .selectAll('piece_pack')
          .where('upload_pack.upload_id', '=', uploadId)
          .where('upload_pack.pack_id', '!=', location.packId)
          .orderBy('piece_pack.pack_id')
          .orderBy('piece_pack.pack_offset_bytes')
          .execute(),
      ])
      const known = found.flat()
      const needed = await db.read
        .selectFrom('upload_pack')
        .select('pack_id')
        .where('upload_id', '=', uploadId)
        .execute()
      const packIds = new Set([location.packId, ...needed.map((row) => row.pack_id)])
      const own = known.find(
        (row) =>
          row.pack_id === location.packId &&
          location.offset >= row.pack_offset_bytes &&
          location.offset < row.pack_offset_bytes + row.size_bytes,
      )
      const ids = [...new Set([...(own === undefined ? [] : [own]), ...known].map((row) => row.piece_id))]
      const shown = ids.slice(from, from + maxProofPieces)
      const rows =
        shown.length === 0 ? [] : await db.read.selectFrom('piece').selectAll().where('id', 'in', shown).execute()
      const pieces = shown.flatMap((id) => {
        const row = rows.find((one) => one.id === id)
        return row === undefined ? [] : [{ row, packs: known.filter((pack) => pack.piece_id === id) }]
      })
      return {
        pieces,
        block: own === undefined ? undefined : { pack: own, offset: location.offset, length: location.length },
        waitingPacks: packIds.size - new Set(known.map((row) => row.pack_id)).size,
        furtherPieces: Math.max(0, ids.length - from - shown.length),
      }
    },
    async describe(cid, from = 0) {
      context.denylist.requireContent(cid)
      const place = await proofs.place(cid, from)
      if (place === undefined) throw new CairnError('BLOCK_NOT_FOUND', { details: { cid: cid.toString() } })
      if (place.pieces.length === 0 && from === 0) throw new CairnError('PROOF_NOT_FOUND')
      const { waitingPacks, furtherPieces } = place
      const pieces = await Promise.all(place.pieces.map(({ row, packs }) => describePiece(row, packs, place.block)))
      return { cid: cid.toString(), challengeMs: config.deals.challengeMs, waitingPacks, furtherPieces, pieces }
    },
    async findAggregate(piece) {
      if (piece.aggregate_id === null) return undefined
      const row = await db.read
        .selectFrom('aggregate')
        .selectAll()
        .where('id', '=', piece.aggregate_id)
        .executeTakeFirst()
      const aggregate = row === undefined ? undefined : await build(row)
      if (row === undefined || aggregate === undefined) return undefined
      return { row, aggregate, deals: await findDealsOf(db.read, row.id) }
    },
    async listChecks(piece, { after, limit = checksOfPage }) {
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
    },
    async openPayload(piece, token) {
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
    },
    describeDeal(deal, aggregate) {
      const provider = providers.find(({ name }) => name === deal.provider)
      const isHeld = deal.state === 'kept' || deal.state === 'proving'
      return {
        id: deal.number,
        provider: {
          name: deal.provider,
          kind: provider?.kind ?? 'cairn',
          key: deal.provider_key,
          url: provider?.url ?? null,
        },
        state: deal.state,
        since: deal.since,
        keptSince: deal.kept_at,
        provenAt: deal.proven_at,
        proofs: deal.proofs,
        faults: deal.faults,
        nextCheckAt: isHeld ? deal.next_at : null,
        silentSince: deal.silent_since,
        retrievalUrl: isHeld ? (provider?.retrievalUrl(aggregate.cid) ?? null) : null,
        error: deal.error,
        errorFacts: readFacts(deal.error_facts),
      }
    },
  }

  const describePiece = async (row: PieceRow, packs: readonly PiecePackRow[], block: Placement['block']) => {
    const piece = toPiece(row)
    const found = await proofs.findAggregate(row)
    return {
      piece: row.cid,
      pieceV1: encodePieceCidV1(piece),
      payloadBytes: row.payload_bytes,
      paddedBytes: paddedBytesOf(piece),
      createdAt: row.created_at,
      cars: packs.map((pack) => ({
        offset: pack.offset_bytes,
        length: pack.size_bytes,
        isHeaded: pack.pack_offset_bytes === 0,
      })),
      block: block?.pack.piece_id === row.id ? await proveBlock(row, block) : null,
      aggregate: found === undefined ? null : await describeAggregate(row, found),
    }
  }

  const proveBlock = async (row: PieceRow, { pack, offset, length }: NonNullable<Placement['block']>) => {
    const read = async (at: number, size: number) => {
      const packs = await findPacksIn(db.read, row.id, { offset: at, length: size })
      return readPacks(objects, toParts(packs))(at, size)
    }
    const start = pack.offset_bytes + offset - pack.pack_offset_bytes
    // An empty block has no byte of its own: the one at its position, or before it, is proven.
    const range = length > 0 ? { offset: start, length } : { offset: Math.min(start, row.payload_bytes - 1), length: 1 }
    const proof = await proveByteRange(await readTree(objects, row), read, range)
    return {
      offset: start,
      length,
      from: proof.offset,
      bytes: Buffer.from(proof.bytes).toString('base64'),
      path: [...proof.path],
    }
  }

  const describeAggregate = async (
    piece: PieceRow,
    { row, aggregate, deals }: { row: AggregateRow; aggregate: Aggregate; deals: DealRow[] },
  ) => {
    const position = piece.position ?? 0
    const { subtree, entry } = aggregate.prove(position)
    // Copies first, then recent failures.
    const shown = deals
      .filter(({ state }) => state !== 'ended')
      .toSorted((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.number - a.number)
      .slice(0, maxProofDeals)
      .toSorted((a, b) => a.number - b.number)
    return {
      piece: row.cid,
      pieceV1: encodePieceCidV1(aggregate.piece),
      paddedBytes: paddedBytesOf(aggregate.piece),
      offset: aggregate.segments[position]?.offset ?? 0,
      copies: row.copies,
      inclusion: {
        subtree: { index: subtree.index, path: subtree.path.map(bytesToHex) },
        entry: { index: entry.index, path: entry.path.map(bytesToHex) },
      },
      deals: await Promise.all(
        shown.map(async (deal) => ({ ...proofs.describeDeal(deal, row), lastProof: await findLastProof(deal) })),
      ),
    }
  }

  const findLastProof = async (deal: DealRow): Promise<PossessionCheck | null> => {
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

  return proofs
}

function isActive({ state }: DealRow): boolean {
  return activeStates.some((active) => active === state)
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
