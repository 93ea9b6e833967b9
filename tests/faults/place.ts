import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readFile } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { type Database, openDatabase } from '../../services/storage/src/db/database.ts'
import { openFileStore } from '../../services/storage/src/objects/files.ts'
import type { ObjectStore } from '../../services/storage/src/objects/objects.ts'
import { check, type Finding } from '../../services/storage/src/packs/check.ts'
import { createPackStore, type PackStore } from '../../services/storage/src/packs/packs.ts'

/** Database, objects and packs in a folder, started as the service starts them. */
export type Place = { folder: string; db: Database; objects: ObjectStore; packs: PackStore } & AsyncDisposable

/** Opens a folder; `orphanAgeMs` 0 makes the start remove at once what it would leave for an hour. */
export async function openPlace(folder: string, orphanAgeMs?: number): Promise<Place> {
  const db = await openDatabase({ kind: 'sqlite', path: join(folder, 'cairn.sqlite') })
  const objects = await openFileStore(join(folder, 'packs'))
  const clock = { now: () => Date.now() + (orphanAgeMs === 0 ? 1000 : 0) }
  const packs = createPackStore({ db, objects, clock, ...(orphanAgeMs === undefined ? {} : { orphanAgeMs }) })
  await packs.recover()
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

/** What must hold after any crash and the next start; answers what does not. */
export async function findBroken(folder: string, acknowledged: readonly string[]): Promise<string[]> {
  await using place = await openPlace(folder, 0)
  const broken: string[] = []
  for (const name of await readdir(join(folder, 'packs', 'tmp'))) broken.push(`unfinished file ${name}`)
  const findings: AsyncIterable<Finding> = check({
    ...place,
    clock: { now: () => Date.now() + 1000 },
    orphanAgeMs: 0,
    readData: 1,
  })
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
