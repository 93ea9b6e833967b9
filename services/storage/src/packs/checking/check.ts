import type { ObjectStore } from '@cairn/service/objects'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { accountsInOneRange, keyRanges, rowsInOneRange } from '../../db/key-ranges.ts'
import { objectKeyOf, placeColumns } from '../pack-place.ts'
import { isUsed } from '../pack-use.ts'
import { findUnnamed } from '../recovery/find-unnamed.ts'
import { findPlace } from '../store.ts'
import { verifyPack } from './verify-pack.ts'

const packsInOneQuery = 500

/** One inconsistency. */
export type Finding =
  | { kind: 'missing-pack'; packId: bigint; objectKey: string }
  /** Its object exists again after it was missing. */
  | { kind: 'returned-pack'; packId: bigint; objectKey: string }
  | { kind: 'wrong-size'; packId: bigint; objectKey: string; expectedBytes: number; actualBytes: number }
  /** A pack without a row, or an orphan that is kept. */
  | { kind: 'orphan-object'; objectKey: string; sizeBytes: number }
  | { kind: 'damaged-blocks'; packId: bigint; objectKey: string; count: number; multihashes: string[] }
  | { kind: 'pack-failures'; packId: bigint; objectKey: string; failures: string[] }
  | { kind: 'incomplete-upload'; uploadId: string; cid: string }
  | { kind: 'wrong-reference'; packId: bigint; isReferenced: boolean }
  | { kind: 'wrong-ledger'; address: string; field: LedgerField; is: number; shouldBe: number }

/** Totals stored with an account. */
type LedgerField = 'data_used_bytes' | 'reserved_bytes' | 'upload_count'

/** Options of a check. */
export type CheckParts = {
  db: Database
  objects: ObjectStore
  clock: { now(): number }
  /** Fraction of packs whose bytes are read, from 0 to 1. Defaults to 0. */
  readData?: number
  /** Selects which packs are read when the fraction is below 1: another number from 0 to 1 selects others. */
  seed?: number
  signal?: AbortSignal
}

/** Walks database and object store and reports inconsistencies. Changes nothing; can be stopped at any point. */
export async function* check(parts: CheckParts): AsyncGenerator<Finding> {
  yield* checkPacks(parts)
  yield* checkOrphans(parts)
  yield* checkUploads(parts)
  yield* checkReferences(parts)
  yield* checkLedger(parts)
}

async function* checkPacks(parts: CheckParts): AsyncGenerator<Finding> {
  const { db, signal } = parts
  for (let after = -1n; ; ) {
    const packs = await selectPacks(db, after)
    const marked = await findDamaged(
      db,
      packs.map(({ id }) => id),
    )
    for (const pack of packs) {
      signal?.throwIfAborted()
      after = pack.id
      const { findings, isReadable } = await checkObject(parts, pack)
      yield* findings
      if (isReadable) yield* checkBlocks(parts, pack, marked.has(pack.id))
    }
    if (packs.length < packsInOneQuery) return
  }
}

function selectPacks(db: Database, after: bigint) {
  return db.read
    .selectFrom('pack')
    .select(['id', 'size_bytes', 'block_count', 'missing_at', 'unreferenced_at', 'hold', ...placeColumns])
    .where('state', '=', 'live')
    .where('id', '>', after)
    .orderBy('id')
    .limit(packsInOneQuery)
    .execute()
}

type CheckedPack = Awaited<ReturnType<typeof selectPacks>>[number]

const nameOf = (pack: CheckedPack) => ({ packId: pack.id, objectKey: objectKeyOf(pack) })

/** Checks that the object of a pack exists with its size, and returns whether its blocks can be checked. */
async function checkObject(
  { db, objects }: CheckParts,
  pack: CheckedPack,
): Promise<{ findings: Finding[]; isReadable: boolean }> {
  const place = nameOf(pack)
  const returned: Finding[] = [{ kind: 'returned-pack', ...place }]
  // The object of a merged pack is checked once, not for each pack in it.
  if (pack.merged_id !== null) {
    if (pack.missing_at === null) return { findings: [], isReadable: true }
    return { findings: (await isThere(db, pack.merged_id)) ? returned : [], isReadable: false }
  }
  const actualBytes = await objects.size(pack.object_key)
  if (actualBytes === undefined) {
    // An unneeded pack is about to be removed, and one that was read long ago may have been merged or removed since.
    const isNeeded = pack.unreferenced_at === null || pack.hold !== null
    const isMissing = isNeeded && (await isUnmoved(db, place))
    return { findings: isMissing ? [{ kind: 'missing-pack', ...place }] : [], isReadable: false }
  }
  const findings = pack.missing_at === null ? [] : returned
  if (actualBytes !== pack.size_bytes) {
    findings.push({ kind: 'wrong-size', ...place, expectedBytes: pack.size_bytes, actualBytes })
  }
  return { findings, isReadable: true }
}

/** Reports damaged blocks: what is marked, or what reading shows if the pack is one of those whose bytes are read. */
async function* checkBlocks(
  { db, objects, readData = 0, seed = 0, signal }: CheckParts,
  pack: CheckedPack,
  isMarked: boolean,
): AsyncGenerator<Finding> {
  const place = nameOf(pack)
  // The rows of a pack that no upload has yet may still be written.
  const isRead = pack.hold !== 'pending' && (fractionOf(pack.id) + seed) % 1 < readData
  const { damaged, failures } = isRead
    ? await verifyPack(pack, { db, objects, signal })
    : { damaged: isMarked ? await knownDamage(db, pack.id) : [], failures: [] }
  if (isRead && damaged.length + failures.length > 0 && !(await isUnmoved(db, place))) return
  if (damaged.length > 0) {
    const multihashes = damaged.slice(0, 100).map((bytes) => Buffer.from(bytes).toString('hex'))
    yield { kind: 'damaged-blocks', ...place, count: damaged.length, multihashes }
  }
  if (failures.length > 0) yield { kind: 'pack-failures', ...place, failures: failures.slice(0, 100) }
}

/** Whether the bytes of a pack still have to be where its row said. */
async function isUnmoved(db: Database, { packId, objectKey }: { packId: bigint; objectKey: string }): Promise<boolean> {
  const place = await findPlace(db.read, packId)
  return place !== undefined && objectKeyOf(place) === objectKey
}

async function isThere(db: Database, packId: bigint): Promise<boolean> {
  const found = await db.read.selectFrom('pack').select('missing_at').where('id', '=', packId).executeTakeFirst()
  return found?.missing_at === null
}

/** Returns a number from 0 to 1 that is constant per pack: its random bits. */
function fractionOf(packId: bigint): number {
  return Number(packId & 0xfffffn) / 0x100000
}

/** Returns which of these packs have blocks that are marked as damaged. One query for many packs: most have none. */
async function findDamaged(db: Database, packIds: readonly bigint[]): Promise<Set<bigint>> {
  if (packIds.length === 0) return new Set()
  const rows = await db.read
    .selectFrom('block')
    .select('pack_id')
    .distinct()
    .where('pack_id', 'in', packIds)
    .where('damaged_at', 'is not', null)
    .execute()
  return new Set(rows.map(({ pack_id }) => pack_id))
}

async function knownDamage(db: Database, packId: bigint): Promise<Uint8Array[]> {
  const rows = await db.read
    .selectFrom('block')
    .select('multihash')
    .where('pack_id', '=', packId)
    .where('damaged_at', 'is not', null)
    .execute()
  return rows.map(({ multihash }) => multihash)
}

async function* checkOrphans({ db, objects, signal }: CheckParts): AsyncGenerator<Finding> {
  const held = await db.read
    .selectFrom('pack')
    .select(['object_key', 'size_bytes'])
    .where(sql<boolean>`hold is not null`)
    .where('hold', '=', 'orphaned')
    .orderBy('id')
    .execute()
  for (const { object_key: objectKey, size_bytes: sizeBytes } of held) {
    yield { kind: 'orphan-object', objectKey, sizeBytes }
  }
  for await (const { key } of findUnnamed({ db, objects })) {
    signal?.throwIfAborted()
    yield { kind: 'orphan-object', objectKey: key, sizeBytes: (await objects.size(key)) ?? 0 }
  }
}

/** Uploads whose root is in no pack, or that refer to none. A root in an identity CID (00…) needs no pack. */
async function* checkUploads({ db, signal }: CheckParts): AsyncGenerator<Finding> {
  for await (const isInRange of keyRanges(db, 'upload', rowsInOneRange)) {
    const { rows } = await sql<{ uploadId: string; cid: string; root: Uint8Array }>`
      select upload.id as "uploadId", upload.cid as cid, upload.root_multihash as root from upload
      where ${isInRange} and (
        not exists (select 1 from block join pack on pack.id = block.pack_id
          where block.multihash = upload.root_multihash and block.damaged_at is null
            and pack.missing_at is null and pack.state = 'live')
        or not exists (select 1 from upload_pack where upload_pack.upload_id = upload.id))`.execute(db.read)
    for (const { uploadId, cid, root } of rows) {
      signal?.throwIfAborted()
      if (root[0] !== 0) yield { kind: 'incomplete-upload', uploadId, cid }
    }
  }
}

/** Packs marked unreferenced that an upload needs, finished or not, or the reverse. Packs on hold are excluded. */
async function* checkReferences({ db, signal }: CheckParts): AsyncGenerator<Finding> {
  for await (const isInRange of keyRanges(db, 'pack', rowsInOneRange)) {
    const { rows } = await sql<{ pack_id: bigint; stamp: number | null }>`
      select pack.id as pack_id, pack.unreferenced_at as stamp from pack
      where ${isInRange} and pack.state = 'live' and pack.hold is null and pack.is_merged = 0
        and (pack.unreferenced_at is null) = (not ${isUsed})`.execute(db.read)
    for (const { pack_id: packId, stamp } of rows) {
      signal?.throwIfAborted()
      yield { kind: 'wrong-reference', packId, isReferenced: stamp !== null }
    }
  }
}

/** Accounts whose totals differ from the sums of their uploads and reservations. */
async function* checkLedger({ db, signal }: CheckParts): AsyncGenerator<Finding> {
  for await (const isInRange of keyRanges(db, 'account', accountsInOneRange)) {
    const { rows } = await sql<
      Record<'used' | 'reserved' | 'counted' | 'uploads' | 'held' | 'count', number> & { address: string }
    >`
      select address, data_used_bytes as used, reserved_bytes as reserved, upload_count as counted, uploads, held, count
      from (
        select account.address, data_used_bytes, reserved_bytes, upload_count,
          coalesce((select sum(size_bytes) from upload where upload.address = account.address), 0) as uploads,
          coalesce((select sum(bytes) from reservation where reservation.address = account.address), 0) as held,
          (select count(*) from upload where upload.address = account.address) as count
        from account where ${isInRange}) as sums
      where data_used_bytes <> uploads or reserved_bytes <> held or upload_count <> count`.execute(db.read)
    for (const { address, used, reserved, counted, uploads, held, count } of rows) {
      signal?.throwIfAborted()
      const common = { kind: 'wrong-ledger', address } as const
      if (used !== uploads) yield { ...common, field: 'data_used_bytes', is: used, shouldBe: uploads }
      if (reserved !== held) yield { ...common, field: 'reserved_bytes', is: reserved, shouldBe: held }
      if (counted !== count) yield { ...common, field: 'upload_count', is: counted, shouldBe: count }
    }
  }
}
