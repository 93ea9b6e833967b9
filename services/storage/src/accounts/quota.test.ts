import { CairnError, MIB } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { credit, releaseAbandoned, reserve, settle } from './quota.ts'
import { ensureAccount } from './store.ts'

let storage: TestStorage
let serial = 0
beforeAll(async () => {
  storage = await startTestStorage({ CAIRN_FREE_BYTES: String(10 * MIB) })
})
afterAll(() => storage[Symbol.asyncDispose]())

async function newAddress(): Promise<string> {
  const address = `0x${String(++serial).padStart(40, '0')}`
  await ensureAccount(storage.context, address, '127.0.0.1')
  return address
}

async function account(address: string): Promise<{ used: number; reserved: number }> {
  const row = await storage.context.db.read
    .selectFrom('account')
    .selectAll()
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  return { used: row.data_used_bytes, reserved: row.reserved_bytes }
}

test('room is held, grows, and becomes what was used', async () => {
  const { context } = storage
  const address = await newAddress()
  const held = await reserve(context, address, MIB)
  await held.grow(2 * MIB)
  expect(await account(address)).toEqual({ used: 0, reserved: 3 * MIB })
  await context.db.write((trx) => settle(trx, held, 1234))
  await held.release()
  expect(await account(address)).toEqual({ used: 1234, reserved: 0 })
  await context.db.write((trx) => credit(trx, address, 1234))
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
})

test('room is settled once', async () => {
  const { context } = storage
  const address = await newAddress()
  const held = await reserve(context, address, MIB)
  await context.db.write((trx) => settle(trx, held, 10))
  await expect(context.db.write((trx) => settle(trx, held, 10))).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await account(address)).toEqual({ used: 10, reserved: 0 })
})

test('room given back can be held by another, and is given back once', async () => {
  const address = await newAddress()
  const held = await reserve(storage.context, address, 10 * MIB)
  await held.release()
  await held.release()
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
  await (await reserve(storage.context, address, 10 * MIB)).release()
})

test('what does not fit is refused with the bytes that are missing', async () => {
  const address = await newAddress()
  const held = await reserve(storage.context, address, 8 * MIB)
  await expect(reserve(storage.context, address, 3 * MIB)).rejects.toMatchObject({
    code: 'QUOTA_EXCEEDED',
    details: { neededBytes: 3 * MIB, availableBytes: 2 * MIB, missingBytes: MIB },
  })
  await expect(held.grow(3 * MIB)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  expect(await account(address)).toEqual({ used: 0, reserved: 8 * MIB })
})

test('of fifty uploads for the last bytes exactly those that fit get room', async () => {
  const address = await newAddress()
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => reserve(storage.context, address, MIB)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  for (const result of results) {
    if (result.status === 'rejected') expect(CairnError.is(result.reason, 'QUOTA_EXCEEDED')).toBe(true)
  }
  expect(await account(address)).toEqual({ used: 0, reserved: 10 * MIB })
})

test('what a process that died had held is given back at the next start', async () => {
  const address = await newAddress()
  await reserve(storage.context, address, 4 * MIB)
  await releaseAbandoned(storage.context)
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
})
