// The sequence of a name never goes back, no matter who signs its records.
import { createNameKey, importNameKey, readRecord } from '@cairn/names'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { alice, bob, cid, day, describeNames, hour } from './names.fixture.ts'
import * as names from './names.ts'
import { ensureName } from './store.ts'
import { renewNames } from './worker.ts'

const code = (wanted: string) => ({ code: wanted })

const bytesOf = ({ record }: { record: string }): Uint8Array => new Uint8Array(Buffer.from(record, 'base64'))

describeNames('names on %s', (subject) => {
  test('all get their own sequence in concurrent publications of replicas, and the last one wins', async () => {
    const { place, context, publish } = subject()
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

  test('never get a sequence below one that was seen, whatever happens between', async () => {
    const { place, context, sign, publish } = subject()
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

  test('are published above unknown sequences after a restore from an old backup', async () => {
    const { place, context, publish } = subject()
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

  test('reject older, replayed, foreign, tampered and expired records, and change nothing', async () => {
    const { context, sign, publish } = subject()
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

  test('with keys kept by their owner never go back in sequence, even if removed and added again', async () => {
    const { context, sign } = subject()
    const key = await createNameKey()
    const { name } = key
    const register = async (bytes: Uint8Array, address = alice) =>
      names.registerRecord(context, address, { name, bytes, label: undefined })
    const [one, two, three] = await Promise.all([1n, 2n, 3n].map((sequence) => sign(key, sequence)))
    if (one === undefined || two === undefined || three === undefined) throw new Error('three were signed')
    await register(one)
    await register(two)
    await register(two)
    // Signed on another machine at the same time: the first one stays.
    const rival = await sign(key, 2n, { value: '/ipfs/bafkqaaa', lifetimeMs: 300 * day })
    await expect(register(rival)).rejects.toMatchObject(code('IPNS_RECORD_OUTDATED'))
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

  test('accept a requested sequence only above all known ones and within 64 bits', async () => {
    const { context, publish } = subject()
    const { id } = await names.createName(context, alice)
    const ask = (sequence: bigint) => names.publishName(context, alice, id, { value: cid, sequence })
    expect((await ask(5n)).sequence).toBe('5')
    await expect(ask(5n)).rejects.toMatchObject({ code: 'IPNS_RECORD_OUTDATED', details: { sequence: '5' } })
    await expect(ask(2n ** 64n)).rejects.toMatchObject(code('INVALID_REQUEST'))
    expect((await ask(2n ** 64n - 1n)).sequence).toBe('18446744073709551615')
    await expect(publish(id)).rejects.toMatchObject(code('IPNS_RECORD_OUTDATED'))
  })

  test('are registered again when another unit of work removes the row meanwhile', async () => {
    const { place, context } = subject()
    const isSqlite = place.settings.kind === 'sqlite'
    const { name } = await createNameKey()
    let attempts = 0
    const row = await context.db.write(async (trx) => {
      attempts++
      if (attempts === 1) {
        // As if it were removed right after each insertion. The end of the first attempt takes it back.
        if (isSqlite) {
          await sql`create trigger removed before insert on ipns_name begin select raise(ignore); end`.execute(trx)
        } else {
          await sql`create function removed() returns trigger language plpgsql as 'begin return null; end'`.execute(trx)
          await sql`create trigger removed before insert on ipns_name for each row execute function removed()`.execute(
            trx,
          )
        }
      }
      return ensureName(trx, name, { origin: 'account', now: 1 })
    })
    expect(row.name).toBe(name)
    expect(attempts).toBe(2)
  })
})
