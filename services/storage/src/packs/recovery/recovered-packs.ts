import type { ObjectStore } from '@cairn/service/objects'
import { sql } from 'kysely'
import type { CID } from 'multiformats/cid'
import type { Database } from '../../db/database.ts'
import { readManifest } from '../checking/verify-pack.ts'
import { packHeaderBytes, readManifestBlock } from '../manifest.ts'
import { placeColumns } from '../pack-place.ts'
import { isUsed } from '../pack-use.ts'
import { recoveredHolder, releaseHeld } from '../removal/hold-packs.ts'
import { findUnlisted } from './import-packs.ts'

const packsInOneQuery = 100

/** An imported pack, and the roots that were uploaded with it. */
export type RecoveredPack = {
  id: bigint
  objectKey: string
  sizeBytes: number
  createdAt: number
  isPrivate: boolean
  roots: CID[]
  /** Those of its roots that no upload has. */
  unlisted: CID[]
}

/** Finds all imported packs that are not listed yet, oldest first. Those of unfinished uploads are not among them. */
export async function* findRecovered({
  db,
  objects,
}: {
  db: Database
  objects: ObjectStore
}): AsyncGenerator<RecoveredPack> {
  for (let after = -1n; ; ) {
    const packs = await db.read
      .selectFrom('pack')
      .select(['id', 'size_bytes', 'created_at', 'is_private', ...placeColumns])
      .where('hold', '=', 'recovered')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('held_pack')
              .select('holder_id')
              .whereRef('held_pack.pack_id', '=', 'pack.id')
              .where('is_own', '=', 1),
          ),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(packsInOneQuery)
      .execute()
    for (const pack of packs) {
      after = pack.id
      const last = await db.read
        .selectFrom('block')
        .select(['offset_bytes', 'length_bytes'])
        .where('pack_id', '=', pack.id)
        .orderBy('offset_bytes', 'desc')
        .limit(1)
        .executeTakeFirst()
      const end = last === undefined ? packHeaderBytes : last.offset_bytes + last.length_bytes
      const manifest = await readManifest(objects, pack, end)
      const roots = manifest === undefined ? [] : readManifestBlock(manifest).roots
      yield {
        id: pack.id,
        objectKey: pack.object_key,
        sizeBytes: pack.size_bytes,
        createdAt: pack.created_at,
        isPrivate: pack.is_private === 1,
        roots,
        unlisted: await findUnlisted(db, pack.id, roots),
      }
    }
    if (packs.length < packsInOneQuery) return
  }
}

/**
 * Gives an imported pack up that is not listed for any account. If no upload needs its blocks, it is removed like a pack
 * whose last upload was deleted: after the grace of deletions.
 */
export async function discardRecovered(db: Database, id: bigint, now: number): Promise<void> {
  await db.write(async (trx) => {
    const pack = trx.updateTable('pack').where('id', '=', id).where('hold', '=', 'recovered')
    // Locks the pack first, as every change of references does: an upload may come to need it.
    await pack.set({ state: sql`state` }).execute()
    await pack.set({ hold: null, unreferenced_at: null }).where(isUsed).execute()
    await pack.set({ hold: null, unreferenced_at: now }).execute()
    await releaseHeld(trx, db.kind, recoveredHolder(id), now)
  })
}
