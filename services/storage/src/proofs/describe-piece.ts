import { encodePieceCidV1, paddedBytesOf, proveByteRange } from '@cairn/pieces'
import { type CallResult, type getProofs, maxProofDeals } from '@cairn/protocol'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Context } from '../context.ts'
import { type DealRow, isActive } from '../deals/deals.ts'
import { findPacksIn, type PieceRow, readPacks, readTree, toParts, toPiece } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import type { FindAggregate, FoundAggregate } from './aggregate-finder.ts'
import { findLastProof } from './checks.ts'
import { describeDeal } from './describe-deal.ts'
import type { Placement } from './find-placement.ts'

type DescribedPiece = CallResult<typeof getProofs>['pieces'][number]

/** Dependencies of descriptions. */
export type DescriptionParts = {
  context: Pick<Context, 'db' | 'objects'>
  providers: readonly Provider[]
  findAggregate: FindAggregate
}

/** Describes a placed piece with its proofs: of the block, if the piece contains it, and in its aggregate. */
export async function describePiece(
  parts: DescriptionParts,
  { row, packs }: Placement['pieces'][number],
  block: Placement['block'],
): Promise<DescribedPiece> {
  const piece = toPiece(row)
  const found = await parts.findAggregate(row)
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
    block: block?.pack.piece_id === row.id ? await proveBlock(parts.context, row, block) : null,
    aggregate: found === undefined ? null : await describeAggregate(parts, row, found),
  }
}

async function proveBlock(
  { db, objects }: DescriptionParts['context'],
  row: PieceRow,
  { pack, offset, length }: NonNullable<Placement['block']>,
): Promise<DescribedPiece['block']> {
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

async function describeAggregate(
  { context, providers }: DescriptionParts,
  piece: PieceRow,
  { row, aggregate, deals }: FoundAggregate,
): Promise<DescribedPiece['aggregate']> {
  const position = piece.position ?? 0
  const { subtree, entry } = aggregate.prove(position)
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
      chooseShown(deals).map(async (deal) => ({
        ...describeDeal(providers, deal, row),
        lastProof: await findLastProof(context, deal),
      })),
    ),
  }
}

/** Returns copies first, then recent failures, as many as an answer contains, in the order of their numbers. */
function chooseShown(deals: readonly DealRow[]): DealRow[] {
  return deals
    .filter(({ state }) => state !== 'ended')
    .toSorted((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.number - a.number)
    .slice(0, maxProofDeals)
    .toSorted((a, b) => a.number - b.number)
}
