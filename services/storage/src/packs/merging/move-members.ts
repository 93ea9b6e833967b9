import type { ObjectStore } from '@cairn/service/objects'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { doomObjects } from '../../objects/doomed-objects.ts'
import { countRemoval } from '../removal/removals.ts'
import { removePack } from '../removal/remove-pack.ts'
import { condemnPack } from '../writing/record-pack.ts'
import type { Member, MergedPack } from './write-merged.ts'

/** Dependencies of a move. */
type MoveParts = {
  db: Database
  objects: ObjectStore
  clock: { now(): number }
  /** How long the objects that held the packs before stay. */
  graceMs: number
}

/** Thrown inside a unit of work to roll it back. */
class PacksChanged extends Error {}

/**
 * Records a merged pack and the place of its members, in one unit of work: every reader finds them in one object or in
 * the other. Returns false when an upload that needed one of them was deleted meanwhile, or a piece was made of one:
 * then nothing has changed and the merged object is removed, because it holds bytes that no upload needs.
 */
export async function moveMembers(parts: MoveParts, merged: MergedPack): Promise<boolean> {
  const { db, objects, clock, graceMs } = parts
  const own = { id: merged.id, objectKey: merged.objectKey, sizeBytes: merged.sizeBytes, createdAt: merged.createdAt }
  try {
    await db.write(async (trx) => {
      await insertMerged(trx, merged)
      if ((await updatePlaces(trx, db.kind, merged)) !== merged.members.length) throw new PacksChanged()
      const left = merged.members.filter(({ pack }) => pack.merged_id === null).map(({ pack }) => pack.object_key)
      await doomObjects(trx, left, clock.now() + graceMs)
      // Replicas have cached the places.
      await countRemoval(trx)
    })
  } catch (error) {
    // A unit that reports a failure may have been committed: then this finds its row.
    if (await condemnPack(db, own, { hold: null })) {
      await removePack(db, objects, own)
      if (error instanceof PacksChanged) return false
      throw error
    }
  }
  await objects.confirm(merged.objectKey)
  return true
}

async function insertMerged(trx: Kysely<Schema>, merged: MergedPack): Promise<void> {
  await trx
    .insertInto('pack')
    .values({
      id: merged.id,
      object_key: merged.objectKey,
      size_bytes: merged.sizeBytes,
      block_count: 0,
      state: 'live',
      created_at: merged.createdAt,
      unreferenced_at: null,
      scrubbed_at: null,
      hold: null,
      missing_at: null,
      is_merged: 1,
      merged_offset_bytes: merged.manifestOffset,
      // Pieces are made of its members.
      is_pieced: 1,
      is_private: merged.isPrivate ? 1 : 0,
    })
    .execute()
}

/** Moves the members that are as they were when their bytes were read, and returns their number. */
async function updatePlaces(trx: Kysely<Schema>, kind: Database['kind'], merged: MergedPack): Promise<number> {
  const { members } = merged
  const places = kind === 'sqlite' ? [JSON.stringify(members.map(toTexts))] : columnsOf(members)
  const { numAffectedRows } = await trx.executeQuery(CompiledQuery.raw(statements[kind], [merged.id, ...places]))
  return Number(numAffectedRows)
}

const changes = `and state = 'live' and hold is null and missing_at is null and unreferenced_at is null
  and is_pieced = 0 and coalesce(merged_id, 0) = was`

const statements: Readonly<Record<Database['kind'], string>> = {
  // Numbers of 63 bits are texts in JSON.
  sqlite: `update pack set merged_id = ?, merged_offset_bytes = shift
    from (select cast(value ->> 0 as integer) as member, cast(value ->> 1 as integer) as shift,
        cast(value ->> 2 as integer) as was from json_each(?)) as moved
    where pack.id = member ${changes}`,
  postgres: `update pack set merged_id = $1, merged_offset_bytes = shift
    from unnest($2::int8[], $3::int8[], $4::int8[]) as moved (member, shift, was)
    where pack.id = member ${changes}`,
}

function toTexts({ pack, shift }: Member): string[] {
  return [pack.id, BigInt(shift), pack.merged_id ?? 0n].map(String)
}

function columnsOf(members: readonly Member[]): unknown[] {
  return [
    members.map(({ pack }) => pack.id),
    members.map(({ shift }) => shift),
    members.map(({ pack }) => pack.merged_id ?? 0n),
  ]
}
