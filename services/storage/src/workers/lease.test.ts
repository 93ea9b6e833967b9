import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { acquireLease, endAllLeases, releaseLease } from './lease.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-lease-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const durationMs = 60_000
const mine = { name: 'job', owner: 'one', durationMs }
const other = { name: 'job', owner: 'two', durationMs }

const openFile = (name: string) => openDatabase({ kind: 'sqlite', path: join(folder, `${name}.sqlite`) })

async function readExpiry(db: Database): Promise<number> {
  const row = db.read.selectFrom('lease').select('expires_at').where('name', '=', 'job')
  return (await row.executeTakeFirstOrThrow()).expires_at
}

test('writes a held lease again only after a third of its duration, and never lets it expire between', async () => {
  await using db = await openFile('renewed')
  expect(await acquireLease(db, { ...mine, now: 1000 })).toEqual({ fence: 1, expiresAt: 61_000 })
  expect(await acquireLease(db, { ...mine, now: 20_999 })).toMatchObject({ fence: 1, expiresAt: 61_000 })
  expect(await readExpiry(db)).toBe(61_000)
  expect(await acquireLease(db, { ...mine, now: 21_000 })).toEqual({ fence: 1, expiresAt: 81_000 })
  expect(await readExpiry(db)).toBe(81_000)
})

test('a lease that another owner took over is no longer considered held', async () => {
  await using db = await openFile('taken')
  await acquireLease(db, { ...mine, now: 1000 })
  expect(await acquireLease(db, { ...other, now: 60_999 })).toBeUndefined()
  expect(await acquireLease(db, { ...other, now: 61_000 })).toEqual({ fence: 2, expiresAt: 121_000 })
  expect(await acquireLease(db, { ...mine, now: 61_000 })).toBeUndefined()
})

test('a clock that was set back does not make a lease look held for longer', async () => {
  await using db = await openFile('clock')
  await acquireLease(db, { ...mine, now: 1_000_000 })
  expect(await acquireLease(db, { ...mine, now: 1000 })).toEqual({ fence: 1, expiresAt: 61_000 })
  expect(await readExpiry(db)).toBe(61_000)
})

test('a lease of an owner whose clock was far ahead is free, and one of an owner whose clock is somewhat ahead is held', async () => {
  await using db = await openFile('ahead')
  const hourMs = 3_600_000
  await acquireLease(db, { ...mine, now: 1000 + hourMs })
  expect(await acquireLease(db, { ...other, now: 1000 })).toBeUndefined()
  await acquireLease(db, { ...mine, now: 1000 + 24 * hourMs })
  expect(await acquireLease(db, { ...other, now: 1000 })).toEqual({ fence: 2, expiresAt: 61_000 })
  expect(await acquireLease(db, { ...mine, now: 1001 })).toBeUndefined()
})

test('another owner gets a lease immediately after it was released, and after a start', async () => {
  await using db = await openFile('released')
  await acquireLease(db, { ...mine, now: 1000 })
  await releaseLease(db, mine)
  expect(await acquireLease(db, { ...other, now: 1001 })).toMatchObject({ fence: 2 })
  await endAllLeases(db)
  expect(await acquireLease(db, { ...mine, now: 1002 })).toMatchObject({ fence: 3 })
})
