// Records are renewed before they expire, and those of strangers are removed when they do.
import { createNameKey, importNameKey, type NameKey } from '@cairn/names'
import { nameLifetimeMs } from '@cairn/protocol'
import { multihashToIPNSRoutingKey, unmarshalIPNSRecord } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { afterEach, expect, test, vi } from 'vitest'
import { createStorageMetrics } from '../metrics.ts'
import { acquireLease, releaseLease } from '../workers/lease.ts'
import { fakeRenewals, outlastLease } from '../workers/outlast-lease.fixture.ts'
import { alice, cid, day, describeNames, hour } from './names.fixture.ts'
import * as names from './names.ts'
import { createNamesWorker, renewNames } from './worker.ts'

afterEach(() => {
  vi.useRealTimers()
})

const code = (wanted: string) => ({ code: wanted })

/** Verifies with the reference implementation, independently of Cairn's code. */
async function verifyIndependently(name: string, record: Uint8Array): Promise<ReturnType<typeof unmarshalIPNSRecord>> {
  const { multihash } = CID.parse(name, base36)
  await ipnsValidator(multihashToIPNSRoutingKey(multihash as Parameters<typeof multihashToIPNSRoutingKey>[0]), record)
  return unmarshalIPNSRecord(record)
}

describeNames('names on %s', (subject) => {
  test('are renewed before they expire: the same value and sequence, a later expiry, one row of history', async () => {
    const { place, context } = subject()
    const { id, name } = await names.createName(context, alice)
    const short = await names.publishName(context, alice, id, { value: cid, lifetimeMs: 60_000 })
    const replica = await place.replica()
    const round = (from = context) => renewNames(from, new AbortController().signal)
    expect(await round()).toEqual({ renewed: 0, failed: 0, dropped: 0 })
    for (let times = 0; times < 20; times++) {
      place.clock.ms += 25_000
      const rounds = await Promise.all([round(), round(replica)])
      expect(rounds[0].renewed + rounds[1].renewed).toBe(1)
    }
    const renewed = await names.findRecord(context, name)
    expect(renewed.sequence.toString()).toBe(short.sequence)
    expect(renewed.value).toBe(short.value)
    expect(renewed.validUntil).toBe(place.clock.ms + 60_000)
    await verifyIndependently(name, renewed.bytes)
    expect((await names.listHistory(context, alice, id, {})).records).toHaveLength(1)
    // A clock that goes back shortens nothing.
    place.clock.ms += 25_000
    await round()
    const { validUntil } = await names.findRecord(context, name)
    await context.db.write((trx) =>
      trx.updateTable('ipns_name').set({ renew_at: 0 }).where('name', '=', name).execute(),
    )
    place.clock.ms -= 5000
    expect(await round()).toMatchObject({ renewed: 0, failed: 0 })
    expect((await names.findRecord(context, name)).validUntil).toBe(validUntil)
    // It resumes after a long suspension.
    place.clock.ms += 365 * day
    await expect(names.findRecord(context, name)).rejects.toMatchObject(code('NAME_EXPIRED'))
    expect(await round()).toMatchObject({ renewed: 1 })
    expect((await names.findRecord(context, name)).sequence.toString()).toBe(short.sequence)
  })

  test('are renewed automatically by the worker, on one replica at a time', async () => {
    const { place, context, publish } = subject()
    const { id, name } = await names.createName(context, alice)
    const published = await publish(id)
    const metrics = createStorageMetrics()
    const runOnce = async (processId: string) => {
      const stop = new AbortController()
      const clock = { now: place.clock.now, sleep: async () => stop.abort() }
      await createNamesWorker({ ...context, metrics, processId }, clock).run(stop.signal)
    }
    place.clock.ms += nameLifetimeMs / 2
    const lease = { name: 'names', owner: 'another', now: place.clock.ms, durationMs: hour }
    await acquireLease(context.db, lease)
    await runOnce('own')
    expect((await names.findRecord(context, name)).validUntil).toBe(published.validUntil)
    await releaseLease(context.db, lease)
    await runOnce('own')
    expect((await names.findRecord(context, name)).validUntil).toBe(place.clock.ms + nameLifetimeMs)
    expect((await metrics.namesRenewed.get()).values[0]?.value).toBe(1)
    // It released its lease, so no replica has to wait for it to expire.
    expect(await acquireLease(context.db, { ...lease, now: place.clock.ms })).toBeDefined()
  })

  test('are renewed under one lease in a round that takes longer', async () => {
    const { place, context } = subject()
    const { db } = context
    let units = 0
    let isTaken: boolean | undefined
    const write: typeof db.write = async (work) => {
      // The first one acquires the lease.
      if (++units === 2) isTaken = await outlastLease(db, place.clock, { name: 'names', durationMs: 60_000 })
      return db.write(work)
    }
    const parts = { ...context, db: { ...db, write }, metrics: createStorageMetrics(), processId: 'own' }
    const stop = new AbortController()
    fakeRenewals()
    await createNamesWorker(parts, { now: place.clock.now, sleep: async () => stop.abort() }).run(stop.signal)
    expect(isTaken).toBe(false)
  })

  test('are not renewed if foreign or unreadable, and the others are', async () => {
    const { place, context, sign, publish } = subject()
    const own = await names.createName(context, alice)
    const damaged = await names.createName(context, alice)
    const good = await names.createName(context, alice)
    for (const { id } of [own, damaged, good]) await publish(id)
    const key = await importNameKey((await names.exportName(context, alice, own.id, 'libp2p')).key)
    const sequence = BigInt(Math.floor(place.clock.ms / 1000)) + 100n
    await names.acceptRecord(context, own.name, await sign(key, sequence))
    await context.db.write((trx) =>
      trx
        .updateTable('name_entry')
        .set({ seal: new Uint8Array(40) })
        .where('id', '=', damaged.id)
        .execute(),
    )
    place.clock.ms += nameLifetimeMs / 2
    expect(await renewNames(context, new AbortController().signal)).toEqual({ renewed: 1, failed: 1, dropped: 0 })
    expect((await names.findRecord(context, good.name)).validUntil).toBe(place.clock.ms + nameLifetimeMs)
  })

  test('of strangers have limited space, are removed on expiry, and never evict those of accounts', async () => {
    const { place, context, sign, publish } = subject()
    const keys = await Promise.all(Array.from({ length: 3 }, createNameKey))
    const [first, second, third] = keys
    if (first === undefined || second === undefined || third === undefined) throw new Error('three were made')
    await names.acceptRecord(context, first.name, await sign(first, 1n, { lifetimeMs: hour }), 2)
    await names.acceptRecord(context, second.name, await sign(second, 1n), 2)
    await expect(names.acceptRecord(context, third.name, await sign(third, 1n), 2)).rejects.toMatchObject(
      code('STORAGE_FULL'),
    )
    await names.acceptRecord(context, first.name, await sign(first, 2n, { lifetimeMs: hour }), 2)
    // An account's own names are not affected.
    const made = await names.createName(context, alice)
    await publish(made.id)
    await names.registerRecord(context, alice, { name: third.name, bytes: await sign(third, 1n), label: undefined })
    await names.registerRecord(context, alice, { name: second.name, bytes: await sign(second, 1n), label: 'mine' })
    expect((await names.listHistory(context, alice, second.name, {})).records).toHaveLength(1)
    place.clock.ms += hour
    expect(await renewNames(context, new AbortController().signal)).toMatchObject({ dropped: 1 })
    await expect(names.findRecord(context, first.name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    for (const name of [made.name, second.name, third.name]) await names.findRecord(context, name)
  })

  test('of strangers are removed two days after they were last sent, however late they expire', async () => {
    const { place, context, sign } = subject()
    const lifetimeMs = 365 * day
    const [left, sentAgain, unlisted] = [await createNameKey(), await createNameKey(), await createNameKey()]
    const accept = async (key: NameKey, bytes: Uint8Array) => names.acceptRecord(context, key.name, bytes, 3)
    const register = async (sequence: bigint) =>
      names.registerRecord(context, alice, {
        name: unlisted.name,
        bytes: await sign(unlisted, sequence, { lifetimeMs }),
        label: undefined,
      })
    const drop = async () => (await renewNames(context, new AbortController().signal)).dropped
    await register(5n)
    await names.removeName(context, alice, unlisted.name)
    const first = await sign(left, 1n, { lifetimeMs })
    const again = await sign(sentAgain, 1n, { lifetimeMs })
    await accept(left, first)
    await accept(sentAgain, again)
    await accept(unlisted, await sign(unlisted, 6n, { lifetimeMs }))
    place.clock.ms += day
    await accept(sentAgain, again)
    place.clock.ms += day - 1
    expect(await drop()).toBe(0)
    place.clock.ms += 1
    expect(await drop()).toBe(2)
    await expect(names.findRecord(context, left.name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    await expect(names.findRecord(context, unlisted.name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    await expect(accept(unlisted, await sign(unlisted, 5n))).rejects.toMatchObject(code('IPNS_RECORD_OUTDATED'))
    expect((await names.findRecord(context, sentAgain.name)).sequence).toBe(1n)
    // A name of an account stays.
    await register(7n)
    place.clock.ms += day
    expect(await drop()).toBe(1)
    expect((await names.findRecord(context, unlisted.name)).sequence).toBe(7n)
  })

  test('that are unlisted count as a stranger’s and are removed on expiry; their sequences stay', async () => {
    const { place, context, sign } = subject()
    const key = await createNameKey()
    const { name } = key
    const register = async (sequence: bigint) =>
      names.registerRecord(context, alice, { name, bytes: await sign(key, sequence), label: undefined })
    await register(5n)
    await names.removeName(context, alice, name)
    const next = await sign(key, 6n, { lifetimeMs: hour })
    await expect(names.acceptRecord(context, name, next, 0)).rejects.toMatchObject(code('STORAGE_FULL'))
    await names.acceptRecord(context, name, next, 1)
    await names.acceptRecord(context, name, await sign(key, 7n, { lifetimeMs: hour }), 1)
    expect((await names.findRecord(context, name)).sequence).toBe(7n)
    place.clock.ms += hour
    expect(await renewNames(context, new AbortController().signal)).toMatchObject({ dropped: 1 })
    await expect(names.findRecord(context, name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    await expect(names.acceptRecord(context, name, await sign(key, 6n))).rejects.toMatchObject(
      code('IPNS_RECORD_OUTDATED'),
    )
    await register(8n)
    expect((await names.listHistory(context, alice, name, {})).records).toHaveLength(1)
  })
})
