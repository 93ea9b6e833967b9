import { createNameKey, createRecord, importNameKey, type NameKey, readRecord } from '@cairn/names'
import { maxNameHistory, maxNamesPerAccount, nameLifetimeMs } from '@cairn/protocol'
import fc from 'fast-check'
import { multihashToIPNSRoutingKey, unmarshalIPNSRecord } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createStorageMetrics } from '../metrics.ts'
import { acquireLease, releaseLease } from '../workers/lease.ts'
import { alice, bob, type NamesPlace, startDatabases } from './names.fixture.ts'
import * as names from './names.ts'
import type { NamesContext } from './names-context.ts'
import { createNamesWorker, renewNames } from './worker.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const hour = 3_600_000
const day = 24 * hour
const code = (wanted: string) => ({ code: wanted })

let databases: Awaited<ReturnType<typeof startDatabases>>
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases?.stop())

/** Verifies with the reference implementation, independently of Cairn's code. */
async function verifyIndependently(name: string, record: Uint8Array): Promise<ReturnType<typeof unmarshalIPNSRecord>> {
  const { multihash } = CID.parse(name, base36)
  await ipnsValidator(multihashToIPNSRoutingKey(multihash as Parameters<typeof multihashToIPNSRoutingKey>[0]), record)
  return unmarshalIPNSRecord(record)
}

const bytesOf = ({ record }: { record: string }): Uint8Array => new Uint8Array(Buffer.from(record, 'base64'))

describe.each(['sqlite', 'postgres'] as const)('names on %s', (kind) => {
  let place: NamesPlace
  let context: NamesContext
  beforeEach(async () => {
    place = await databases.open(kind)
    context = await place.replica()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  const sign = (key: NameKey, sequence: bigint, options: { value?: string; lifetimeMs?: number } = {}) =>
    createRecord(key, {
      value: options.value ?? `/ipfs/${cid}`,
      sequence,
      lifetimeMs: options.lifetimeMs ?? day,
      ttlMs: 60_000,
      now: place.clock.ms,
    })
  const publish = (id: string, value = cid, from = context) => names.publishName(from, alice, id, { value })

  test('published records verify in the reference implementation, and appear in the list and the history', async () => {
    const made = await names.createName(context, alice, 'home page')
    expect(made).toMatchObject({ label: 'home page', value: null, sequence: null, keyHeld: 'service' })
    expect(made.id).toMatch(/^[0-9a-f]{32}$/)
    expect(made.name).toMatch(/^k51[a-z0-9]{59}$/)
    await expect(names.findRecord(context, made.name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    const first = await publish(made.id)
    const second = await publish(made.name, `/ipfs/${cid}/docs`)
    const record = await verifyIndependently(made.name, bytesOf(second))
    expect(record).toMatchObject({ value: `/ipfs/${cid}/docs`, ttl: 300_000_000_000n })
    expect(new Date(record.validity).getTime()).toBe(place.clock.ms + nameLifetimeMs)
    expect(BigInt(second.sequence)).toBeGreaterThan(BigInt(first.sequence))
    expect(await names.getName(context, alice, made.id)).toMatchObject({
      value: `/ipfs/${cid}/docs`,
      cid,
      sequence: second.sequence,
      validUntil: second.validUntil,
    })
    const { records } = await names.listHistory(context, alice, made.id, {})
    expect(records.map(({ sequence }) => sequence)).toEqual([second.sequence, first.sequence])
    expect(names.describeSigned(await names.findRecord(context, made.name))).toEqual(second)
  })

  test('names of other accounts are not found', async () => {
    const { id, name } = await names.createName(context, alice)
    for (const key of [id, name]) {
      await expect(names.getName(context, bob, key)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
      await expect(names.removeName(context, bob, key)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
      await expect(names.exportName(context, bob, key, 'pem')).rejects.toMatchObject(code('NAME_NOT_FOUND'))
      await expect(names.publishName(context, bob, key, { value: cid })).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    }
    await expect(names.getName(context, alice, 'k51xyz')).rejects.toMatchObject(code('INVALID_NAME'))
  })

  test('concurrent publications of replicas all succeed, each with its own sequence, and the last one stands', async () => {
    const { id, name } = await names.createName(context, alice)
    const replicas = [context, await place.replica(), await place.replica()]
    const published = await Promise.all(
      Array.from({ length: 30 }, (_, at) => publish(id, `/ipfs/${cid}/${at}`, replicas[at % 3])),
    )
    const sequences = published.map(({ sequence }) => BigInt(sequence))
    expect(new Set(sequences).size).toBe(30)
    const greatest = sequences.reduce((left, right) => (left > right ? left : right))
    const last = published.find(({ sequence }) => BigInt(sequence) === greatest)
    for (const replica of replicas) expect(names.describeSigned(await names.findRecord(replica, name))).toEqual(last)
    const { records } = await names.listHistory(context, alice, id, {})
    expect(records).toHaveLength(30)
  })

  test('no publication ever has a sequence below one that was seen, whatever happens between', async () => {
    const { id, name } = await names.createName(context, alice)
    const key = await importNameKey((await names.exportName(context, alice, id, 'libp2p')).key)
    const step = fc.oneof(
      fc.constant('publish' as const),
      fc.record({ ahead: fc.bigInt({ min: 1n, max: 10_000n }) }),
      fc.record({ passMs: fc.integer({ min: -hour, max: hour }) }),
      fc.constant('renew' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        let seen = BigInt((await publish(id)).sequence)
        for (const one of steps) {
          if (one === 'renew') await renewNames(context, new AbortController().signal)
          else if (one === 'publish') {
            const sequence = BigInt((await publish(id)).sequence)
            expect(sequence).toBeGreaterThan(seen)
            seen = sequence
          } else if ('passMs' in one) place.clock.ms += one.passMs
          else {
            seen += one.ahead
            await names.acceptRecord(context, name, await sign(key, seen, { lifetimeMs: 30 * day }))
          }
          expect((await names.findRecord(context, name)).sequence).toBe(seen)
        }
      }),
      { numRuns: 10 },
    )
  })

  test('a service restored from an old backup publishes above sequences it no longer knows', async () => {
    const { id, name } = await names.createName(context, alice)
    const old = await context.db.read
      .selectFrom('ipns_name')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    place.clock.ms += 60_000
    const lost = await publish(id)
    await context.db.write((trx) => trx.updateTable('ipns_name').set(old).where('name', '=', name).execute())
    place.clock.ms += 60_000
    expect(BigInt((await publish(id)).sequence)).toBeGreaterThan(BigInt(lost.sequence))
  })

  test('rejects older, replayed, foreign, tampered and expired records, and changes nothing', async () => {
    const { id, name } = await names.createName(context, alice)
    const key = await importNameKey((await names.exportName(context, alice, id, 'pem')).key)
    const first = await publish(id)
    const second = await publish(id, `/ipfs/${cid}/new`)
    const sequence = BigInt(second.sequence)
    const refused: [Uint8Array, string][] = [
      [bytesOf(first), 'IPNS_RECORD_OUTDATED'],
      [await sign(key, sequence - 1n), 'IPNS_RECORD_OUTDATED'],
      [await sign(key, sequence, { value: '/ipfs/bafkqaaa', lifetimeMs: hour }), 'IPNS_RECORD_OUTDATED'],
      [await sign(await createNameKey(), sequence + 9n), 'INVALID_IPNS_RECORD'],
      [await sign(key, sequence + 9n, { lifetimeMs: -1 }), 'IPNS_RECORD_EXPIRED'],
      [Buffer.alloc(10 * 1024 + 1), 'INVALID_IPNS_RECORD'],
      [Buffer.from('hello'), 'INVALID_IPNS_RECORD'],
    ]
    const next = await sign(key, sequence + 1n)
    for (let at = 0; at < next.length; at += 7) {
      const bytes = Uint8Array.from(next)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      const isStillValid = await readRecord(name, bytes).then(
        () => true,
        () => false,
      )
      // The version 1 signature is never checked, so a change there has no effect.
      if (!isStillValid) refused.push([bytes, 'INVALID_IPNS_RECORD'])
    }
    for (const [bytes, wanted] of refused) {
      await expect(names.acceptRecord(context, name, bytes)).rejects.toMatchObject(code(wanted))
      await expect(names.registerRecord(context, bob, { name, bytes, label: undefined })).rejects.toMatchObject(
        code(wanted),
      )
    }
    expect(names.describeSigned(await names.findRecord(context, name))).toEqual(second)
    expect(await names.listNames(context, bob, {})).toEqual([])
    await names.acceptRecord(context, name, bytesOf(second))
    await names.acceptRecord(context, name, next)
    expect((await names.findRecord(context, name)).sequence).toBe(sequence + 1n)
  })

  test('the sequence of a name whose key stays with its owner never goes back, removed and added again', async () => {
    const key = await createNameKey()
    const { name } = key
    const register = async (bytes: Uint8Array, address = alice) =>
      names.registerRecord(context, address, { name, bytes, label: undefined })
    const [one, two, three] = await Promise.all([1n, 2n, 3n].map((sequence) => sign(key, sequence)))
    if (one === undefined || two === undefined || three === undefined) throw new Error('three were signed')
    await register(one)
    await register(two)
    await register(two)
    expect(await names.getName(context, alice, name)).toMatchObject({ keyHeld: 'owner', sequence: '2' })
    await expect(names.publishName(context, alice, name, { value: cid })).rejects.toMatchObject(
      code('NAME_KEY_WITH_OWNER'),
    )
    await expect(names.exportName(context, alice, name, 'pem')).rejects.toMatchObject(code('NAME_KEY_WITH_OWNER'))
    await names.removeName(context, alice, name)
    await expect(names.findRecord(context, name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    await expect(names.acceptRecord(context, name, two)).rejects.toMatchObject(code('IPNS_RECORD_OUTDATED'))
    await expect(register(one)).rejects.toMatchObject(code('IPNS_RECORD_OUTDATED'))
    await register(two)
    await register(three, bob)
    expect(await names.getName(context, alice, name)).toMatchObject({ sequence: '3' })
    // Other accounts that list the name cannot influence it here.
    await names.removeName(context, bob, name)
    expect((await names.findRecord(context, name)).sequence).toBe(3n)
  })

  test('removing a name destroys its key', async () => {
    const { id, name } = await names.createName(context, alice)
    const published = await publish(id)
    expect(await names.removeName(context, alice, id)).toEqual({ id, name })
    await expect(names.removeName(context, alice, id)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    await expect(names.findRecord(context, name)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    await expect(names.acceptRecord(context, name, bytesOf(published))).rejects.toMatchObject(
      code('IPNS_RECORD_OUTDATED'),
    )
    expect(await context.db.read.selectFrom('name_entry').selectAll().execute()).toEqual([])
    expect(await context.db.read.selectFrom('name_record').selectAll().execute()).toEqual([])
  })

  test('the database contains no plain key, which opens for no other account, name or secret', async () => {
    const { id, name } = await names.createName(context, alice)
    const other = await names.createName(context, bob)
    await publish(id)
    const { key: libp2p } = await names.exportName(context, alice, id, 'libp2p')
    const { seed } = await importNameKey(libp2p)
    const rows = await Promise.all(
      (['name_entry', 'ipns_name', 'name_record'] as const).map((table) =>
        context.db.read.selectFrom(table).selectAll().execute(),
      ),
    )
    for (const row of rows.flat()) {
      for (const value of Object.values(row)) {
        const bytes = Buffer.from(value instanceof Uint8Array ? value : String(value))
        for (const form of [
          Buffer.from(seed),
          Buffer.from(seed).toString('hex'),
          Buffer.from(seed).toString('base64').slice(0, 40),
        ]) {
          expect(bytes.includes(form)).toBe(false)
        }
      }
    }
    const { seal } = await context.db.read
      .selectFrom('name_entry')
      .select('seal')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await context.db.write((trx) => trx.updateTable('name_entry').set({ seal }).where('id', '=', other.id).execute())
    await expect(names.exportName(context, bob, other.id, 'pem')).rejects.toMatchObject(code('DATA_DAMAGED'))
    const changed = Uint8Array.from(seal ?? [])
    changed[20] = (changed[20] ?? 0) ^ 1
    await context.db.write((trx) => trx.updateTable('name_entry').set({ seal: changed }).where('id', '=', id).execute())
    await expect(publish(id)).rejects.toMatchObject(code('DATA_DAMAGED'))
    const stranger = await place.replica(new Uint8Array(32).fill(1))
    await expect(names.createName(stranger, alice)).rejects.toMatchObject(code('INVALID_CONFIGURATION'))
    await expect(publish(id, cid, stranger)).rejects.toMatchObject(code('INVALID_CONFIGURATION'))
    await expect(names.requireSameSecret(stranger)).rejects.toMatchObject(code('INVALID_CONFIGURATION'))
    await names.requireSameSecret(context)
    expect(name).toMatch(/^k51/)
  })

  test('renews records before they expire: the same value and sequence, a later expiry, one row of history', async () => {
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
    // It returns after a long suspension.
    place.clock.ms += 365 * day
    await expect(names.findRecord(context, name)).rejects.toMatchObject(code('NAME_EXPIRED'))
    expect(await round()).toMatchObject({ renewed: 1 })
    expect((await names.findRecord(context, name)).sequence.toString()).toBe(short.sequence)
  })

  test('the worker renews by itself, on one replica at a time', async () => {
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

  test('does not renew a foreign or unreadable record, and continues with the others', async () => {
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

  test('names of strangers have limited space, are removed on expiry, and never displace those of accounts', async () => {
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

  test('a record for an unlisted name counts as a stranger’s and is removed on expiry; its sequence stays', async () => {
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

  test('limits the names of an account, also when they are created at once', async () => {
    const now = place.clock.ms
    const maxEntries = maxNamesPerAccount - 2
    await context.db.write(async (trx) => {
      for (let from = 0; from < maxEntries; from += 200) {
        const rows = Array.from({ length: Math.min(200, maxEntries - from) }, (_, at) => ({
          name: `n${from + at}`,
          created_at: now,
          updated_at: now,
        }))
        await trx
          .insertInto('ipns_name')
          .values(rows.map((row) => ({ ...row, origin: 'account' as const })))
          .execute()
        await trx
          .insertInto('name_entry')
          .values(rows.map((row) => ({ ...row, id: row.name, address: alice })))
          .execute()
      }
    })
    const replica = await place.replica()
    const made = await Promise.allSettled([1, 2, 3, 4].map((at) => names.createName(at % 2 ? context : replica, alice)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const result of made) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(code('NAME_LIMIT'))
    }
    await names.createName(context, bob)
  })

  test('lists and histories come in pages; the oldest rows of a history are removed', async () => {
    const made = []
    for (let at = 0; at < 5; at++) made.unshift(await names.createName(context, alice, `${at}`))
    const first = await names.listNames(context, alice, { limit: 3 })
    const rest = await names.listNames(context, alice, { limit: 3, after: first[2]?.id })
    expect([...first, ...rest].map(({ id }) => id)).toEqual(made.map(({ id }) => id))
    const [{ id, name } = { id: '', name: '' }] = made
    await publish(id)
    await context.db.write(async (trx) => {
      for (let at = 0; at < maxNameHistory; at++) {
        const sequence = String(at).padStart(20, '0')
        await trx
          .insertInto('name_record')
          .values({ name, sequence, value: '/', record: new Uint8Array(), valid_until: 0, published_at: 0 })
          .execute()
      }
    })
    await publish(id)
    const { count } = await context.db.read
      .selectFrom('name_record')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(maxNameHistory)
    const page = (await names.listHistory(context, alice, id, { limit: 2 })).records
    const next = (await names.listHistory(context, alice, id, { limit: 2, before: page[1]?.sequence })).records
    expect(next.map(({ sequence }) => sequence)).toEqual([String(maxNameHistory - 1), String(maxNameHistory - 2)])
  })

  test.each([
    ['bafy', 'INVALID_CID'],
    ['/ipfs/bafy', 'INVALID_CID'],
    [`/ipfs/${cid}/../x`, 'INVALID_CID'],
    ['/ipld/x', 'INVALID_NAME_VALUE'],
    ['/ipns/', 'INVALID_NAME_VALUE'],
    [`/ipns/${cid}`, 'INVALID_NAME_VALUE'],
    [`/ipfs/${cid}/a\nb`, 'INVALID_CID'],
  ])('%j is not a valid target', async (value, wanted) => {
    const { id } = await names.createName(context, alice)
    await expect(publish(id, value)).rejects.toMatchObject(code(wanted))
  })

  test('a requested sequence must be above all known ones, and have 64 bits', async () => {
    const { id } = await names.createName(context, alice)
    const ask = (sequence: bigint) => names.publishName(context, alice, id, { value: cid, sequence })
    expect((await ask(5n)).sequence).toBe('5')
    await expect(ask(5n)).rejects.toMatchObject({ code: 'IPNS_RECORD_OUTDATED', details: { sequence: '5' } })
    await expect(ask(2n ** 64n)).rejects.toMatchObject(code('INVALID_REQUEST'))
    expect((await ask(2n ** 64n - 1n)).sequence).toBe('18446744073709551615')
    await expect(publish(id)).rejects.toMatchObject(code('IPNS_RECORD_OUTDATED'))
  })
})
