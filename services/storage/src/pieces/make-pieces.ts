import { randomUUID } from 'node:crypto'
import { encodePieceCid, type PieceTree } from '@cairn/pieces'
import { CairnError, MIB } from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { objectKeyOf, type PlacedPack, packHeaderBytes, shiftOf } from '../packs/packs.ts'
import type { PieceHashing } from './hashing.ts'
import { readPacks } from './payload.ts'
import { writeTree } from './tree-object.ts'

/**
 * Packs of at least this size are pieces of their own; smaller ones share one, because each piece takes space in an
 * index.
 */
const aloneBytes = MIB
const maxBatchBytes = 16 * MIB
const packsInOneQuery = 500
/** Delay before retrying a pack that could not become a piece. */
const setAsideMs = 600_000
/** Maximum number of failed groups per round: beyond it, the packs are not the cause. */
const maxFailures = 20

type PackSize = 'large' | 'small'
type WaitingPack = PlacedPack & { id: bigint; size_bytes: number; created_at: number }

/** Dependencies of making pieces. */
export type PieceMaking = {
  context: Context
  hashing: PieceHashing
  /** Packs that failed, and until when they are skipped; afterwards, each is retried separately. */
  setAside: Map<bigint, number>
}

/**
 * Makes pieces of all waiting packs; returns their number. A pack that cannot be read does not block others: it is
 * skipped for a while.
 */
export async function makePieces(making: PieceMaking, signal: AbortSignal): Promise<number> {
  const { context, setAside } = making
  let made = 0
  let failures = 0
  for await (const { size, packs } of pagesOfWaiting(context)) {
    for (const group of groupPacks(packs, size, setAside, context)) {
      signal.throwIfAborted()
      try {
        made += await makePiecesOfAll(making, group, signal)
        for (const { id } of group) setAside.delete(id)
      } catch (error) {
        if (signal.aborted) throw error
        // Another replica made it after a delay, or is about to.
        if (isUniqueViolation(error)) continue
        const until = context.clock.now() + (group.length > 1 ? 0 : setAsideMs)
        for (const { id } of group) setAside.set(id, until)
        const packs = group.map(({ id }) => String(id)).slice(0, 5)
        context.failures.failed('pieces', error, 'no piece was created', { packs })
        if (++failures >= maxFailures) throw error
      }
    }
  }
  return made
}

/** Yields the waiting packs a page at a time: first those that are pieces of their own. */
async function* pagesOfWaiting(context: Context): AsyncGenerator<{ size: PackSize; packs: WaitingPack[] }> {
  for (const size of ['large', 'small'] as const) {
    let last: WaitingPack | undefined
    do {
      const packs = await findWaiting(context, size, last?.id ?? -1n)
      yield { size, packs }
      last = packs.length < packsInOneQuery ? undefined : packs.at(-1)
    } while (last !== undefined)
  }
}

function groupPacks(
  packs: readonly WaitingPack[],
  size: PackSize,
  setAside: ReadonlyMap<bigint, number>,
  context: Context,
): WaitingPack[][] {
  const now = context.clock.now()
  const alone = packs.filter(({ id }) => size === 'large' || setAside.has(id))
  const together = packs.filter(({ id }) => size === 'small' && !setAside.has(id))
  return [
    ...alone.filter(({ id }) => (setAside.get(id) ?? 0) <= now).map((pack) => [pack]),
    ...groupRipe(together, context),
  ]
}

async function makePiecesOfAll(making: PieceMaking, group: WaitingPack[], signal: AbortSignal): Promise<number> {
  let made = 0
  const copies = await findCopies(making.context, group)
  for (const [wanted, same] of Map.groupBy(group, ({ id }) => copies.get(id) ?? 0)) {
    if (wanted > 0) made += await makePiecesOf(making, same, wanted, signal)
  }
  return made
}

function findWaiting({ db }: Context, size: PackSize, after: bigint): Promise<WaitingPack[]> {
  return (
    db.read
      .selectFrom('pack')
      .select([
        'pack.id',
        'pack.object_key',
        'pack.merged_id',
        'pack.merged_offset_bytes',
        'pack.is_merged',
        'pack.size_bytes',
        'pack.created_at',
      ])
      // A literal in the statement, because only then do the databases use the index of waiting packs.
      .where(sql<boolean>`pack.is_pieced = 0 and pack.is_private = 0`)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('upload_pack').select('upload_id').whereRef('upload_pack.pack_id', '=', 'pack.id')),
      )
      .where('pack.state', '=', 'live')
      .where('pack.size_bytes', size === 'large' ? '>=' : '<', aloneBytes)
      .where('pack.id', '>', after)
      .orderBy('pack.id')
      .limit(packsInOneQuery)
      .execute()
  )
}

/** Groups small packs once enough of them wait, or one has waited for half the time that aggregates wait. */
function groupRipe(packs: readonly WaitingPack[], { config, clock }: Context): WaitingPack[][] {
  const groups: WaitingPack[][] = []
  let group: WaitingPack[] = []
  let bytes = 0
  for (const pack of packs) {
    if (bytes + pack.size_bytes > maxBatchBytes) {
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

/** Returns the maximum number of copies among the accounts with content in a pack. */
async function findCopies({ db, config }: Context, packs: readonly WaitingPack[]): Promise<Map<bigint, number>> {
  const { copies: usual, maxCopies } = config.deals
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
  return new Map(rows.map((row) => [row.pack_id, Math.min(Number(row.copies), maxCopies)]))
}

/** A range of bytes of the object that holds a pack. */
type PackRun = { id: bigint; objectKey: string; packOffset: number; sizeBytes: number }

/**
 * Makes one piece of a group of packs, or several of one that is too large, and inserts their rows in one unit of
 * work.
 */
async function makePiecesOf(
  making: PieceMaking,
  packs: readonly WaitingPack[],
  copies: number,
  signal: AbortSignal,
): Promise<number> {
  const { context } = making
  const { db, objects } = context
  const made: NewPiece[] = []
  try {
    for (const runs of await splitLarge(context, packs)) made.push(await computePiece(making, runs, signal))
    signal.throwIfAborted()
  } catch (error) {
    for (const { treeKey } of made) if (treeKey !== undefined) await objects.remove(treeKey)
    throw error
  }
  // A unit that reports a failure may have been committed: its trees stay unconfirmed until this process is gone.
  await db.write(async (trx) => {
    for (const piece of made) await insertPiece(trx, piece, copies, context.clock.now())
    const ids = packs.map(({ id }) => id)
    const pieced = await trx
      .updateTable('pack')
      .set({ is_pieced: 1 })
      .where('id', 'in', ids)
      .returning(['id', 'merged_id'])
      .execute()
    // The piece names objects. From here on these packs are not merged.
    const isMoved = ({ id, merged_id }: WaitingPack) => pieced.find((one) => one.id === id)?.merged_id !== merged_id
    if (packs.some(isMoved)) throw new CairnError('CONFLICT', { message: 'A pack was merged with others meanwhile' })
  })
  for (const { treeKey } of made) if (treeKey !== undefined) await objects.confirm(treeKey)
  return made.length
}

/** A pack in a merged one has no header of its own. */
function toRun(pack: WaitingPack): PackRun {
  const header = pack.merged_id === null ? 0 : packHeaderBytes
  return {
    id: pack.id,
    objectKey: objectKeyOf(pack),
    packOffset: shiftOf(pack) + header,
    sizeBytes: pack.size_bytes - header,
  }
}

/** Returns the ranges of one piece each. A pack that is larger than a piece is split between two of its blocks. */
async function splitLarge(context: Context, packs: readonly WaitingPack[]): Promise<PackRun[][]> {
  const whole = packs.map(toRun)
  const [pack] = whole
  const maxBytes = context.config.deals.pieceBytes
  if (pack === undefined || whole.length > 1 || pack.sizeBytes <= maxBytes) return [whole]
  const pieces: PackRun[][] = []
  for (let from = 0; from < pack.sizeBytes; ) {
    const to =
      pack.sizeBytes - from <= maxBytes ? pack.sizeBytes : await findCut(context, pack.id, from, from + maxBytes)
    pieces.push([{ ...pack, packOffset: from, sizeBytes: to - from }])
    from = to
  }
  return pieces
}

/** Finds the last end of a block between two offsets, where the next frame begins. */
async function findCut({ db }: Context, packId: bigint, from: number, maxBytes: number): Promise<number> {
  const row = await db.read
    .selectFrom('block')
    .select(['offset_bytes', 'length_bytes'])
    .where('pack_id', '=', packId)
    .where('offset_bytes', '>', from)
    .where(({ eb, ref }) => eb(eb(ref('offset_bytes'), '+', ref('length_bytes')), '<=', maxBytes))
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
