import { CairnError, MIB } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { ensureAccount } from '../accounts/store.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { hasUploadsInProgress, reserve, settle } from './quota.ts'
import { createReservationRound } from './renew-reservations.ts'

const minuteMs = 60_000

describeOnDatabases('reservations on %s', (newDatabase) => {
  /** A service, and replicas beside it with their own clock. */
  async function start() {
    const secret = '22'.repeat(32)
    const storage = await startTestStorage({ CAIRN_STORAGE_SECRET: secret, ...(await newDatabase()) })
    const clock = { ms: storage.context.clock.now(), now: () => clock.ms }
    const address = `0x${'a'.repeat(40)}`
    await ensureAccount(storage.context, address, '127.0.0.1')
    return {
      clock,
      address,
      startReplica(processId: string) {
        const context = { ...storage.context, clock, processId }
        return { context, round: createReservationRound(context) }
      },
      async reservedBytes() {
        const rows = await storage.context.db.read.selectFrom('account').select('reserved_bytes').execute()
        return rows.map((row) => row.reserved_bytes)
      },
      [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
    }
  }

  test('of a killed replica are released within minutes, those of uploads in progress never', async () => {
    await using place = await start()
    const [killed, living] = [place.startReplica('killed'), place.startReplica('living')]
    await reserve(killed.context, place.address, 3 * MIB)
    const held = await reserve(living.context, place.address, MIB)
    let released = 0
    for (let minutes = 0; minutes < 10; minutes++) {
      released += await living.round()
      place.clock.ms += minuteMs
    }
    expect([released, await place.reservedBytes()]).toEqual([0, [4 * MIB]])
    for (let minutes = 0; minutes < 3; minutes++) {
      place.clock.ms += minuteMs
      released += await living.round()
    }
    expect([released, await place.reservedBytes()]).toEqual([1, [MIB]])
    // Hours later.
    for (let minutes = 0; minutes < 300; minutes += 9) {
      place.clock.ms += 9 * minuteMs
      await living.round()
    }
    expect(await hasUploadsInProgress(living.context)).toBe(true)
    await living.context.db.write((trx) => settle(trx, held, MIB))
    expect(await place.reservedBytes()).toEqual([0])
    expect(await hasUploadsInProgress(living.context)).toBe(false)
  })

  test('survive a failure of the database, during which no replica could renew its own', async () => {
    await using place = await start()
    const [one, other] = [place.startReplica('one'), place.startReplica('other')]
    const held = await reserve(other.context, place.address, MIB)
    expect([await one.round(), await other.round()]).toEqual([0, 0])
    place.clock.ms += 30 * minuteMs
    expect([await one.round(), await other.round()]).toEqual([0, 0])
    place.clock.ms += minuteMs
    expect(await one.round()).toBe(0)
    await held.grow(MIB)
    expect(await place.reservedBytes()).toEqual([2 * MIB])
  })

  test('that could not be released when their uploads ended are released by the next round', async () => {
    await using place = await start()
    const { context } = place.startReplica('one')
    let isDown = false
    const { db: working } = context
    const db = {
      ...working,
      write: ((unit) =>
        isDown ? Promise.reject(new CairnError('STORAGE_FULL')) : working.write(unit)) as typeof working.write,
    }
    const round = createReservationRound({ ...context, db })
    const [ended, running] = [
      await reserve({ ...context, db }, place.address, 3 * MIB),
      await reserve({ ...context, db }, place.address, MIB),
    ]
    isDown = true
    await expect(ended.release()).rejects.toThrow('full')
    await expect(round()).rejects.toThrow('full')
    isDown = false
    await round()
    expect(await place.reservedBytes()).toEqual([MIB])
    await running.release()
    await round()
    expect(await place.reservedBytes()).toEqual([0])
  })
})
