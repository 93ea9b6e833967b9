// The cost of a start and of a removal round among many packs, in file system calls and rows read, never in time.
import { createHook } from 'node:async_hooks'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ObjectStore } from '@cairn/service/objects'
import { openFileStore } from '@cairn/service/objects'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { check } from '../checking/check.ts'
import { packKey } from '../pack-id.ts'
import { claimPackFolder, comparePacks, createPackStore, recoverPacks, settleComparison } from '../packs.ts'
import { removeUnreferencedPacks } from '../removal/remove-packs.ts'

const week = 7 * 86_400_000
const counts = [2000, 6000] as const
const now = Date.now()

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-costs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Fills a database and a pack folder with `count` packs of the last week. */
async function fill(place: string, count: number): Promise<{ db: Database; objects: ObjectStore }> {
  const db = await openDatabase({ kind: 'sqlite', path: join(place, 'storage.sqlite') })
  const rows = Array.from({ length: count }, (_, at) => {
    const createdAt = now - week + Math.trunc((week * at) / count)
    const id = (BigInt(createdAt) << 20n) | BigInt(at)
    return {
      id,
      object_key: packKey(id),
      size_bytes: 1,
      block_count: 0,
      state: 'live' as const,
      created_at: createdAt,
      unreferenced_at: null,
      scrubbed_at: createdAt,
    }
  })
  for (const { object_key: key } of rows) {
    const path = join(place, 'packs', 'objects', key)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'x')
  }
  await db.write(async (trx) => {
    for (let at = 0; at < rows.length; at += 500) {
      await trx
        .insertInto('pack')
        .values(rows.slice(at, at + 500))
        .execute()
    }
  })
  return { db, objects: await openFileStore(join(place, 'packs'), { isAlone: true }) }
}

/** Counts file system calls as Node makes them, and rows that the database returns. */
async function measure(db: Database, work: (counted: Database) => Promise<unknown>) {
  let fileCalls = 0
  let rows = 0
  const queries: RootOperationNode[] = []
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith('FSREQ')) fileCalls++
    },
  }).enable()
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries.push(node)
      return node
    },
    transformResult: ({ result }) => {
      rows += result.rows.length
      return Promise.resolve(result)
    },
  }
  try {
    await work({ ...db, read: db.read.withPlugin(counting) })
  } finally {
    hook.disable()
  }
  return { fileCalls, rows, queries }
}

test('a start and a round make no call and no row per known pack', async () => {
  const costs: { count: number; start: number; startRows: number; round: number; roundRows: number }[] = []
  for (const count of counts) {
    const { db, objects } = await fill(join(folder, `${count}`), count)
    await claimPackFolder({ db, objects })
    const clock = { now: () => now, sleep: async () => undefined }
    const start = await measure(db, async (counted) => {
      const parts = { db: counted, objects, clock }
      await claimPackFolder(parts)
      const comparison = await comparePacks(parts)
      expect(comparison).toEqual({ unnamed: [], missing: [], returned: [] })
      expect(await recoverPacks(parts)).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
      await settleComparison(parts, comparison)
    })
    const round = await measure(db, async (counted) => {
      const packs = createPackStore({ db: counted, objects, clock })
      expect(await recoverPacks({ db: counted, objects, clock })).toMatchObject({ abandonedPacks: 0 })
      expect(await removeUnreferencedPacks({ db: counted, objects, packs, clock })).toBe(0)
    })
    costs.push({
      count,
      start: start.fileCalls,
      startRows: start.rows,
      round: round.fileCalls,
      roundRows: round.rows,
    })
    // No query of a round scans all packs.
    for (const node of round.queries) {
      const { sql, parameters } = db.read.getExecutor().compileQuery(node, { queryId: 'plan' })
      const plan = await db.read.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
      )
      for (const { detail } of plan.rows) expect(`${sql}: ${detail}`).not.toContain('SCAN pack')
    }
    await objects.close()
    await db.close()
  }
  const [few, many] = costs
  expect(many?.round).toBe(few?.round)
  expect(many?.round).toBeLessThan(20)
  expect(many?.roundRows).toBe(0)
  // A thousand rows and the names in the newest folders, regardless of the total, and a few objects.
  expect(many?.startRows).toBeLessThan(2100)
  expect(Math.abs((many?.startRows ?? 0) - (few?.startRows ?? 0))).toBeLessThan(10)
  expect(many?.start).toBeLessThan(200)
  expect(many?.start).toBeLessThan((few?.start ?? 0) + 20)
})

test('a check makes no query per pack', async () => {
  const { db, objects } = await fill(join(folder, 'checked'), 2000)
  const { queries } = await measure(db, async (counted) => {
    // None of these packs has an upload.
    for await (const { kind } of check({ db: counted, objects, clock: { now: () => now } }))
      expect(kind).toBe('wrong-reference')
  })
  expect(queries.length).toBeLessThan(50)
  await objects.close()
  await db.close()
})
