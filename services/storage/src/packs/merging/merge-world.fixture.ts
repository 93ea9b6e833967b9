import { readFile, writeFile } from 'node:fs/promises'
import { MIB } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { Database } from '../../db/database.ts'
import { createPackPlace, manyBlocks, type PackPlace, type TestBlock } from '../pack.fixture.ts'
import { type MergeParts, mergePacks } from './merge-packs.ts'

export const hour = 3_600_000
export const day = 24 * hour
export const settings = { maxPackBytes: MIB, targetBytes: 4 * MIB, minAgeMs: hour, maxWaitMs: day, bytesPerSecond: 1e9 }

type Upload = { id: string; blocks: TestBlock[] }

/** A store with 40 small packs that are due to be merged. */
export type MergeWorld = ReturnType<typeof createMergeWorld>

/**
 * Describes tests of merging.
 * @param tests gets a function that returns the world of the current test
 */
export function describeMerging(
  title: string,
  openDatabase: () => Promise<Database>,
  tests: (world: () => MergeWorld) => void,
): void {
  describe(title, () => {
    let world: MergeWorld
    beforeEach(async () => {
      world = createMergeWorld(await createPackPlace(await openDatabase()))
      await world.storeMany(40, 1)
      world.place.clock.ms += 2 * day
    })
    afterEach(() => world.place.remove())
    tests(() => world)
  })
}

function createMergeWorld(place: PackPlace) {
  const uploads: Upload[] = []
  const parts = (changes: Partial<MergeParts> = {}): MergeParts => ({
    ...place,
    clock: place.workerClock(),
    owner: 'one',
    settings,
    graceMs: day,
    isBusy: async () => false,
    onEvent: (event) => place.events.push(event),
    ...changes,
  })
  const merge = (changes?: Partial<MergeParts>) => mergePacks(parts(changes), new AbortController().signal)
  const objects = async (of: ObjectStore = place.objects) => (await Array.fromAsync(of.list('packs/'))).toSorted()
  const findings = () => place.findings({ readData: 1 })
  const readAll = async (packs = place.packs, of = uploads) => {
    for (const { blocks } of of)
      for (const { cid, bytes } of blocks) expect(Buffer.compare(await packs.get(cid), bytes)).toBe(0)
  }
  const isRead = (block: TestBlock | undefined) =>
    block === undefined
      ? false
      : place
          .reopen()
          .get(block.cid)
          .then(
            () => true,
            () => false,
          )
  const countMissing = async (): Promise<number> => {
    const rows = await place.db.read.selectFrom('pack').select('id').where('missing_at', 'is not', null).execute()
    return rows.length
  }
  const mergedKey = async () => {
    const row = await place.db.read
      .selectFrom('pack')
      .select('object_key')
      .where('is_merged', '=', 1)
      .executeTakeFirst()
    return row?.object_key ?? ''
  }
  const storeMany = async (count: number, seed: number) => {
    for (let at = 0; at < count; at++) {
      const blocks = manyBlocks(3, 200, seed + at)
      uploads.push({ id: await place.store(blocks), blocks })
    }
  }
  const packIds = async (): Promise<bigint[]> => {
    const rows = await place.db.read.selectFrom('pack').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id)
  }
  return {
    place,
    uploads,
    parts,
    merge,
    objects,
    findings,
    readAll,
    isRead,
    countMissing,
    mergedKey,
    storeMany,
    packIds,
  }
}

/** Changes one bit of a file. */
export async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}
