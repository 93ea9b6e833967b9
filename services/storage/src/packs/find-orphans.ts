import type { Database } from '../db/database.ts'
import type { ObjectStore, StoredObject } from '../objects/objects.ts'
import { packIdOfKey } from './pack-id.ts'

/** An object under the keys of packs that no row names. */
export type OrphanPack = StoredObject & { id: bigint }

const idsInOneQuery = 500

/** Packs in the object store below `prefix` that have no row, and were finished before `before` (ms since 1970). */
export async function* findOrphans(
  { db, objects }: { db: Database; objects: ObjectStore },
  prefix: string,
  before: number,
): AsyncGenerator<OrphanPack> {
  let batch: OrphanPack[] = []
  const strangers = async (): Promise<OrphanPack[]> => {
    const candidates = batch
    batch = []
    if (candidates.length === 0) return []
    const ids = candidates.map(({ id }) => id)
    const rows = await db.read.selectFrom('pack').select('id').where('id', 'in', ids).execute()
    const known = new Set(rows.map(({ id }) => id))
    return candidates.filter(({ id }) => !known.has(id))
  }
  for await (const object of objects.list(prefix)) {
    const id = packIdOfKey(object.key)
    if (id === undefined || object.modifiedAt >= before) continue
    batch.push({ ...object, id })
    if (batch.length === idsInOneQuery) yield* await strangers()
  }
  yield* await strangers()
}
