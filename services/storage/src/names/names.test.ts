// Names are published, listed, limited and removed, and their keys stay secret.
import { importNameKey } from '@cairn/names'
import { maxNameHistory, maxNamesPerAccount, nameLifetimeMs } from '@cairn/protocol'
import { multihashToIPNSRoutingKey, unmarshalIPNSRecord } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { alice, bob, cid, describeNames } from './names.fixture.ts'
import * as names from './names.ts'

const code = (wanted: string) => ({ code: wanted })

/** Verifies with the reference implementation, independently of Cairn's code. */
async function verifyIndependently(name: string, record: Uint8Array): Promise<ReturnType<typeof unmarshalIPNSRecord>> {
  const { multihash } = CID.parse(name, base36)
  await ipnsValidator(multihashToIPNSRoutingKey(multihash as Parameters<typeof multihashToIPNSRoutingKey>[0]), record)
  return unmarshalIPNSRecord(record)
}

const bytesOf = ({ record }: { record: string }): Uint8Array => new Uint8Array(Buffer.from(record, 'base64'))

describeNames('names on %s', (subject) => {
  test('published records verify in the reference implementation, and appear in the list and the history', async () => {
    const { place, context, publish } = subject()
    const made = await names.createName(context, alice, { label: 'home page' })
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
    const { context } = subject()
    const { id, name } = await names.createName(context, alice)
    for (const key of [id, name]) {
      await expect(names.getName(context, bob, key)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
      await expect(names.removeName(context, bob, key)).rejects.toMatchObject(code('NAME_NOT_FOUND'))
      await expect(names.exportName(context, bob, key, 'pem')).rejects.toMatchObject(code('NAME_NOT_FOUND'))
      await expect(names.publishName(context, bob, key, { value: cid })).rejects.toMatchObject(code('NAME_NOT_FOUND'))
    }
    await expect(names.getName(context, alice, 'k51xyz')).rejects.toMatchObject(code('INVALID_NAME'))
  })

  test('removing a name destroys its key', async () => {
    const { context, publish } = subject()
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
    const { place, context, publish } = subject()
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

  test('limits the names of an account, also when they are created at once', async () => {
    const { place, context } = subject()
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
    const { context, publish } = subject()
    const made = []
    for (let at = 0; at < 5; at++) made.unshift(await names.createName(context, alice, { label: `${at}` }))
    const first = await names.listNames(context, alice, { limit: 3 })
    const rest = await names.listNames(context, alice, { limit: 3, after: first[2]?.id })
    expect([...first, ...rest].map(({ id }) => id)).toEqual(made.map(({ id }) => id))
    const [{ id, name } = { id: '', name: '' }, other] = made
    await publish(id)
    const rowOf = (of: string, at: number) => {
      const row = { name: of, sequence: String(at).padStart(20, '0'), value: '/', record: new Uint8Array() }
      return { ...row, valid_until: 0, published_at: 0 }
    }
    const rows = Array.from({ length: maxNameHistory }, (_, at) => rowOf(name, at))
    const ofOther = rowOf(other?.name ?? '', 0)
    await context.db.write((trx) =>
      trx
        .insertInto('name_record')
        .values([...rows, ofOther])
        .execute(),
    )
    await publish(id)
    const { count } = await context.db.read
      .selectFrom('name_record')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    // The row of the other name stays.
    expect(Number(count)).toBe(maxNameHistory + 1)
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
    const { context, publish } = subject()
    const { id } = await names.createName(context, alice)
    await expect(publish(id, value)).rejects.toMatchObject(code(wanted))
  })
})
