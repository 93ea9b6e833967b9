import { CairnError, MIB } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureAccount } from '../accounts/store.ts'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import {
  credit,
  joinReservation,
  lastingOwner,
  releaseAll,
  releaseReservation,
  reserve,
  reserveSpace,
  settle,
  shrinkReservation,
} from './quota.ts'

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

test('a reservation is kept, grows, and becomes usage', async () => {
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

test('a reservation is settled once', async () => {
  const { context } = storage
  const address = await newAddress()
  const held = await reserve(context, address, MIB)
  await context.db.write((trx) => settle(trx, held, 10))
  await expect(context.db.write((trx) => settle(trx, held, 10))).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(held.grow(1)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await account(address)).toEqual({ used: 10, reserved: 0 })
})

test('a part of a reservation is released, and the rest joins another one once', async () => {
  const { db } = storage.context
  const address = await newAddress()
  const part = await reserve(storage.context, address, 3 * MIB)
  const whole = await reserve(storage.context, address, MIB)
  await db.write((trx) => shrinkReservation(trx, part.id, MIB))
  expect(await account(address)).toEqual({ used: 0, reserved: 3 * MIB })
  const join = () => db.write((trx) => joinReservation(trx, part.id, whole.id))
  await join()
  await expect(join()).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await account(address)).toEqual({ used: 0, reserved: 3 * MIB })
  await whole.release()
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
})

test('a blocked account neither reserves nor records, and releases what it reserved', async () => {
  const { context } = storage
  const address = await newAddress()
  const block = (blockedAt: number | null) =>
    context.db.write((trx) =>
      trx.updateTable('account').set({ blocked_at: blockedAt }).where('address', '=', address).execute(),
    )
  const held = await reserve(context, address, MIB)
  await block(1)
  const refused = { code: 'ACCOUNT_BLOCKED' }
  await expect(reserve(context, address, 1)).rejects.toMatchObject(refused)
  await expect(held.grow(1)).rejects.toMatchObject(refused)
  await expect(context.db.write((trx) => settle(trx, held, 10))).rejects.toMatchObject(refused)
  expect(await account(address)).toEqual({ used: 0, reserved: MIB })
  await held.release()
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
  await block(null)
  const again = await reserve(context, address, MIB)
  await context.db.write((trx) => settle(trx, again, 10))
  expect(await account(address)).toEqual({ used: 10, reserved: 0 })
})

test('released storage is available to others, and is released once', async () => {
  const address = await newAddress()
  const held = await reserve(storage.context, address, 10 * MIB)
  await held.release()
  await held.release()
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
  await (await reserve(storage.context, address, 10 * MIB)).release()
})

test('rejects an oversized reservation with the missing bytes', async () => {
  const address = await newAddress()
  const held = await reserve(storage.context, address, 8 * MIB)
  await expect(reserve(storage.context, address, 3 * MIB)).rejects.toMatchObject({
    code: 'QUOTA_EXCEEDED',
    details: { neededBytes: 3 * MIB, availableBytes: 2 * MIB, missingBytes: MIB },
  })
  await expect(held.grow(3 * MIB)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  expect(await account(address)).toEqual({ used: 0, reserved: 8 * MIB })
  await held.grow(2 * MIB)
  await expect(held.grow(1)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', details: { missingBytes: 1 } })
})

test('exactly as many of fifty concurrent uploads succeed as fit into the last bytes', async () => {
  const address = await newAddress()
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => reserve(storage.context, address, MIB)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  for (const result of results) {
    if (result.status === 'rejected') expect(CairnError.is(result.reason, 'QUOTA_EXCEEDED')).toBe(true)
  }
  expect(await account(address)).toEqual({ used: 0, reserved: 10 * MIB })
})

test('the next start releases the reservations of a killed process, except those that outlive processes', async () => {
  const { context } = storage
  const address = await newAddress()
  const space = { id: 'lasting', address, processId: lastingOwner, expiresAt: 0, freeDiskBytes: 100 * MIB }
  await context.db.write((trx) => reserveSpace(context, trx, { ...space, bytes: MIB }))
  await reserve(context, address, 4 * MIB)
  await releaseAll(context)
  expect(await account(address)).toEqual({ used: 0, reserved: MIB })
})

test('a reservation that was renewed meanwhile is not released as expired', async () => {
  const { context } = storage
  const address = await newAddress()
  const { id } = await reserve(context, address, MIB)
  const release = (expiredAt: number) => context.db.write((trx) => releaseReservation(trx, id, expiredAt))
  const row = () => context.db.read.selectFrom('reservation').select('expires_at').where('id', '=', id)
  const { expires_at: expiresAt } = await row().executeTakeFirstOrThrow()
  expect(await release(expiresAt)).toBe(false)
  expect(await account(address)).toEqual({ used: 0, reserved: MIB })
  expect(await release(expiresAt + 1)).toBe(true)
  expect(await account(address)).toEqual({ used: 0, reserved: 0 })
})
