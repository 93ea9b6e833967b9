import { randomUUID } from 'node:crypto'
import { encodePieceCid, type PieceTree } from '@cairn/pieces'
import { CairnError, MIB } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { PieceHashing } from './piece-hashing.ts'
import { readPacks } from './piece-payload.ts'
import { writeTree } from './tree-object.ts'

/** Packs from this size on are pieces of their own; smaller ones share one, for each piece costs room in an index. */
const aloneBytes = MIB
const togetherBytesMost = 16 * MIB
const packsInOneQuery = 500

type WaitingPack = { id: bigint; object_key: string; size_bytes: number; created_at: number }

/** What making pieces needs. */
export type PieceMaking = { context: Context; hashing: PieceHashing }

/** Makes pieces of all packs that wait for it; answers how many were made. */
export async function makePieces(making: PieceMaking, signal: AbortSignal): Promise<number> {
  let made = 0
  for (const size of ['large', 'small'] as const) {
    for (;;) {
      const packs = await findWaiting(making.context, size)
      const groups = size === 'large' ? packs.map((pack) => [pack]) : groupRipe(packs, making.context)
      for (const group of groups) {
        signal.throwIfAborted()
        const copies = await findCopies(making.context, group)
        for (const [wanted, same] of Map.groupBy(group, ({ id }) => copies.get(id) ?? 0)) {
          if (wanted > 0) made += await makePiecesOf(making, same, wanted, signal)
        }
      }
      if (packs.length < packsInOneQuery || groups.length === 0) break
    }
  }
  return made
}

function findWaiting({ db }: Context, size: 'large' | 'small'): Promise<WaitingPack[]> {
  return db.read
    .selectFrom('pack')
    .select(['pack.id', 'pack.object_key', 'pack.size_bytes', 'pack.created_at'])
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('piece_pack').select('piece_id').whereRef('piece_pack.pack_id', '=', 'pack.id'))),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('upload_pack').select('upload_id').whereRef('upload_pack.pack_id', '=', 'pack.id')),
    )
    .where('pack.state', '=', 'live')
    .where('pack.size_bytes', size === 'large' ? '>=' : '<', aloneBytes)
    .orderBy('pack.id')
    .limit(packsInOneQuery)
    .execute()
}

/** Small packs, put together once enough of them wait or one has waited for half the time that aggregates wait. */
function groupRipe(packs: readonly WaitingPack[], { config, clock }: Context): WaitingPack[][] {
  const groups: WaitingPack[][] = []
  let group: WaitingPack[] = []
  let bytes = 0
  for (const pack of packs) {
    if (bytes + pack.size_bytes > togetherBytesMost) {
      groups.push(group)
      group = []
      bytes = 0
    }
    group.push(pack)
    bytes += pack.size_bytes
  }
  const [oldest] = group
  if (oldest !== undefined && oldest.created_at <= clock.now() - config.deals.waitMs / 2) groups.push(group)
  return groups
}

/** The most copies that any account wants which has something in a pack. */
async function findCopies({ db, config }: Context, packs: readonly WaitingPack[]): Promise<Map<bigint, number>> {
  const { copies: usual, copiesMost } = config.deals
  const rows = await db.read
    .selectFrom('upload_pack')
    .innerJoin('upload', 'upload.id', 'upload_pack.upload_id')
    .leftJoin('copy_policy', 'copy_policy.address', 'upload.address')
    .select(({ fn, val }) => [
      'upload_pack.pack_id',
      fn.max<number>(fn.coalesce('copy_policy.copies', val(usual))).as('copies'),
    ])
    .where(
      'upload_pack.pack_id',
      'in',
      packs.map(({ id }) => id),
    )
    .groupBy('upload_pack.pack_id')
    .execute()
  return new Map(rows.map((row) => [row.pack_id, Math.min(Number(row.copies), copiesMost)]))
}

/** A run of bytes of a pack. */
type PackRun = { id: bigint; objectKey: string; packOffset: number; sizeBytes: number }

/** Makes one piece of packs that go together, or several of one that is too large, and their rows in one unit of work. */
async function makePiecesOf(
  { context, hashing }: PieceMaking,
  packs: readonly WaitingPack[],
  copies: number,
  signal: AbortSignal,
): Promise<number> {
  const { db, objects } = context
  const made: NewPiece[] = []
  try {
    for (const runs of await splitLarge(context, packs))
      made.push(await computePiece({ context, hashing }, runs, signal))
    await db.write(async (trx) => {
      for (const piece of made) await insertPiece(trx, piece, copies, context.clock.now())
    })
  } catch (error) {
    // A crash here leaves objects without rows, which the next start sweeps.
    for (const { treeKey } of made) if (treeKey !== undefined) await objects.remove(treeKey)
    throw error
  }
  return made.length
}

/** One piece's worth of runs each. A pack that is larger than a piece is cut between two of its blocks. */
async function splitLarge(context: Context, packs: readonly WaitingPack[]): Promise<PackRun[][]> {
  const whole = packs.map(({ id, object_key: objectKey, size_bytes: sizeBytes }) => ({
    id,
    objectKey,
    packOffset: 0,
    sizeBytes,
  }))
  const [pack] = whole
  const most = context.config.deals.pieceBytes
  if (pack === undefined || whole.length > 1 || pack.sizeBytes <= most) return [whole]
  const pieces: PackRun[][] = []
  for (let from = 0; from < pack.sizeBytes; ) {
    const to = pack.sizeBytes - from <= most ? pack.sizeBytes : await findCut(context, pack.id, from, from + most)
    pieces.push([{ ...pack, packOffset: from, sizeBytes: to - from }])
    from = to
  }
  return pieces
}

/** The last end of a block that lies between two offsets: there the next frame begins. */
async function findCut({ db }: Context, packId: bigint, from: number, most: number): Promise<number> {
  const row = await db.read
    .selectFrom('block')
    .select(['offset_bytes', 'length_bytes'])
    .where('pack_id', '=', packId)
    .where('offset_bytes', '>', from)
    .where(({ eb, ref }) => eb(eb(ref('offset_bytes'), '+', ref('length_bytes')), '<=', most))
    .orderBy('offset_bytes', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('DATA_DAMAGED', { details: { pack: String(packId), offset: from } })
  return row.offset_bytes + row.length_bytes
}

type NewPiece = { id: string; tree: PieceTree; treeKey: string | undefined; runs: (PackRun & { offset: number })[] }

async function computePiece(
  { context, hashing }: PieceMaking,
  runs: readonly PackRun[],
  signal: AbortSignal,
): Promise<NewPiece> {
  const { objects } = context
  let sizeBytes = 0
  const placed = runs.map((run) => {
    const offset = sizeBytes
    sizeBytes += run.sizeBytes
    return { ...run, offset }
  })
  const tree = await hashing.hash(readPacks(objects, placed), sizeBytes, signal)
  return { id: randomUUID(), tree, treeKey: await writeTree(objects, tree), runs: placed }
}

async function insertPiece(
  trx: Kysely<Schema>,
  { id, tree, treeKey, runs }: NewPiece,
  copies: number,
  now: number,
): Promise<void> {
  const { piece } = tree
  await trx
    .insertInto('piece')
    .values({
      id,
      cid: encodePieceCid(piece),
      root: piece.root,
      height: piece.height,
      payload_bytes: piece.payloadBytes,
      copies,
      tree_key: treeKey ?? null,
      created_at: now,
      aggregate_id: null,
      position: null,
    })
    .execute()
  const rows = runs.map((run) => ({
    pack_id: run.id,
    pack_offset_bytes: run.packOffset,
    piece_id: id,
    offset_bytes: run.offset,
    size_bytes: run.sizeBytes,
    object_key: run.objectKey,
  }))
  await trx.insertInto('piece_pack').values(rows).execute()
}
