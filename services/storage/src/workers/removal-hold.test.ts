import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { holdRemovals, isRemovalHeld } from './removal-hold.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-hold-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const openFile = (name: string) => openDatabase({ kind: 'sqlite', path: join(folder, `${name}.sqlite`) })
const minuteMs = 60_000
const aheadMs = 365 * 24 * 60 * minuteMs

test('a hold from a clock that is ahead is over once it is not renewed, and its backup learns of it', async () => {
  await using db = await openFile('ahead')
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    const service = { db, clock: { now: () => 1000 } }
    await using hold = await holdRemovals({ db, clock: { now: () => 1000 + aheadMs } }, 'backup')
    expect(await isRemovalHeld(service)).toBe(true)
    now.mockReturnValue(19 * minuteMs)
    expect(await isRemovalHeld(service)).toBe(true)
    // As a backup does that still runs.
    await db.write((trx) =>
      trx
        .updateTable('lease')
        .set({ expires_at: 2 * aheadMs })
        .execute(),
    )
    now.mockReturnValue(21 * minuteMs)
    expect(await isRemovalHeld(service)).toBe(true)
    now.mockReturnValue(42 * minuteMs)
    expect(await isRemovalHeld(service)).toBe(false)
    await expect(hold.renew()).rejects.toMatchObject({ code: 'CONFLICT' })
  } finally {
    now.mockRestore()
  }
})

test('a hold ends at its time', async () => {
  await using db = await openFile('over')
  await using _hold = await holdRemovals({ db, clock: { now: () => 0 } }, 'backup')
  expect(await isRemovalHeld({ db, clock: { now: () => 10 * minuteMs - 1 } })).toBe(true)
  expect(await isRemovalHeld({ db, clock: { now: () => 10 * minuteMs } })).toBe(false)
})
