import { setTimeout as delay } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { packTime } from '../pack-id.ts'
import { findUnnamed, type UnnamedPack } from './find-unnamed.ts'

/** Number of newest rows that are compared with the names in the pack folder. */
const comparedRows = 1000
/** Maximum number of packs without rows with which a service starts, each older than the newest row. */
const maxUnnamed = 8
/** Number of rows whose objects are checked concurrently. */
const rowsAtOnce = 20
/** Pause before a second comparison when other replicas run: one of an earlier version keeps no notes. */
const secondComparisonMs = 3000

/** Differences between the newest rows and the newest packs. */
export type Comparison = {
  /** Packs without rows, few and older than the newest row. */
  unnamed: UnnamedPack[]
  /** Rows whose object is missing. */
  missing: { id: bigint; objectKey: string }[]
  /** Rows whose object was missing and exists again. */
  returned: bigint[]
}

/**
 * Compares the newest rows with the newest packs, because a restored database or pack folder lacks the newest ones.
 * The cost does not grow with the number of packs: a fixed number of rows, and the names in the newest folders. `npm
 * run storage:check` compares everything. Changes nothing.
 *
 * @throws CairnError RECOVERY_NEEDED when packs lack their rows as after a restored database
 */
export async function comparePacks(parts: { db: Database; objects: ObjectStore }): Promise<Comparison> {
  return {
    unnamed: await findFewUnnamed(parts),
    missing: await findMissing(parts),
    returned: await findReturned(parts),
  }
}

async function findFewUnnamed(parts: { db: Database; objects: ObjectStore }): Promise<UnnamedPack[]> {
  const { db } = parts
  const ids = await db.read.selectFrom('pack').select('id').orderBy('id', 'desc').limit(comparedRows).execute()
  const newest = ids[0]?.id ?? -1n
  const from = ids.length < comparedRows ? 0n : ids.at(-1)?.id
  const compare = async (): Promise<UnnamedPack[]> => Array.fromAsync(findUnnamed(parts, from))
  let unnamed = await compare()
  if (unnamed.length > 0 && db.kind === 'postgres') {
    await delay(secondComparisonMs)
    unnamed = await compare()
  }
  const youngest = unnamed.reduce((most, { id }) => (id > most ? id : most), -1n)
  const wereRowsLost = unnamed.length > maxUnnamed || youngest > newest
  if (!wereRowsLost) return unnamed
  throw new CairnError('RECOVERY_NEEDED', {
    message: `The pack folder contains ${countOf(unnamed.length, 'pack')} that the database does not list, the newest from ${new Date(packTime(youngest)).toISOString()}`,
    hint: 'The database is older than its packs. Restore the newer database, or recover the packs with `npm run storage:recover` (docs/operate/recover.md). Nothing was changed.',
    details: { packs: unnamed.length, examples: unnamed.slice(0, 5).map(({ key }) => key) },
  })
}

async function findMissing({ db, objects }: { db: Database; objects: ObjectStore }): Promise<Comparison['missing']> {
  const missing: Comparison['missing'] = []
  for (let before: bigint | undefined; ; ) {
    const rows = await db.read
      .selectFrom('pack')
      .select(['id', 'object_key'])
      .where('state', '=', 'live')
      .where('merged_id', 'is', null)
      .where('missing_at', 'is', null)
      .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0n))
      .orderBy('id', 'desc')
      .limit(rowsAtOnce)
      .execute()
    const gone = await findGone(objects, rows)
    missing.push(...gone)
    before = rows.at(-1)?.id
    if (gone.length === 0 || rows.length < rowsAtOnce) return missing
  }
}

async function findGone(
  objects: ObjectStore,
  rows: readonly { id: bigint; object_key: string }[],
): Promise<Comparison['missing']> {
  const sizes = await Promise.all(rows.map(({ object_key }) => objects.size(object_key)))
  return rows.flatMap(({ id, object_key: objectKey }, at) => (sizes[at] === undefined ? [{ id, objectKey }] : []))
}

async function findReturned({ db, objects }: { db: Database; objects: ObjectStore }): Promise<bigint[]> {
  const rows = await db.read
    .selectFrom('pack')
    .select(['id', 'object_key', 'size_bytes'])
    .where('missing_at', 'is not', null)
    .where('merged_id', 'is', null)
    .execute()
  const returned: bigint[] = []
  for (const { id, object_key, size_bytes } of rows) {
    if ((await objects.size(object_key)) === size_bytes) returned.push(id)
  }
  return [...returned, ...(await findMembersOfPresent(db))]
}

/** Returns packs that are marked although the pack that they were merged into is not. */
async function findMembersOfPresent(db: Database): Promise<bigint[]> {
  const rows = await db.read
    .selectFrom('pack')
    .innerJoin('pack as merged', 'merged.id', 'pack.merged_id')
    .select('pack.id')
    .where('pack.missing_at', 'is not', null)
    .where('merged.missing_at', 'is', null)
    .where('merged.state', '=', 'live')
    .execute()
  return rows.map(({ id }) => id)
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
