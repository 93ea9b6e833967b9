import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readFile } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { openFileStore } from '../../packages/service/src/objects/files.ts'
import type { ObjectStore } from '../../packages/service/src/objects/objects.ts'
import { type Database, openDatabase } from '../../services/storage/src/db/database.ts'
import { check, type Finding } from '../../services/storage/src/packs/checking/check.ts'
import {
  claimPackFolder,
  comparePacks,
  createPackStore,
  type PackStore,
  recoverPacks,
  settleComparison,
} from '../../services/storage/src/packs/packs.ts'

/** Database, objects and packs in a folder, started like the service. */
export type Place = { folder: string; db: Database; objects: ObjectStore; packs: PackStore } & AsyncDisposable

/** Opens a folder. @throws CairnError RECOVERY_NEEDED, which no crash may lead to */
export async function openPlace(folder: string): Promise<Place> {
  const db = await openDatabase({ kind: 'sqlite', path: join(folder, 'cairn.sqlite') })
  const objects = await openFileStore(join(folder, 'packs'), { isAlone: true })
  const clock = { now: () => Date.now() }
  const packs = createPackStore({ db, objects, clock })
  await claimPackFolder({ db, objects })
  const comparison = await comparePacks({ db, objects })
  await recoverPacks({ db, objects, clock })
  await settleComparison({ db, objects, clock }, comparison)
  return {
    folder,
    db,
    objects,
    packs,
    async [Symbol.asyncDispose]() {
      await objects.close()
      await db.close()
    },
  }
}

/** What must hold after any crash and the next start; returns violations. */
export async function findBroken(folder: string, acknowledged: readonly string[]): Promise<string[]> {
  await using place = await openPlace(folder)
  const broken: string[] = []
  for (const name of await readdir(join(folder, 'packs', 'tmp'))) broken.push(`unfinished file ${name}`)
  for (const name of await readdir(join(folder, 'packs', 'unconfirmed'))) broken.push(`unsettled note ${name}`)
  const findings: AsyncIterable<Finding> = check({ ...place, clock: { now: () => Date.now() }, readData: 1 })
  for await (const finding of findings) broken.push(`check: ${finding.kind}`)
  const rows = await place.db.read.selectFrom('upload').select(['cid', 'size_bytes']).execute()
  const sizes = new Map(rows.map(({ cid, size_bytes }) => [cid, size_bytes]))
  for (const cid of acknowledged) if (!sizes.has(cid)) broken.push(`acknowledged and lost: ${cid}`)
  for (const [cid, sizeBytes] of sizes) {
    let read = 0
    try {
      for await (const piece of readFile(place.packs.openReader(), CID.parse(cid))) read += piece.length
    } catch (error) {
      broken.push(`listed and unreadable: ${cid}: ${error}`)
      continue
    }
    if (read !== sizeBytes) broken.push(`listed and short: ${cid}`)
  }
  return broken
}
