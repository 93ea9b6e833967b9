// Work that was postponed while a clock was ahead is due once the clock is right.
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { correctTimes, createTimesWorker } from './correct-times.ts'
import { describeOnDatabases } from './on-databases.fixture.ts'
import { findDuePins, insertPin } from './pins/store.ts'
import { openTestContext, testAddress } from './uploads/open-test-context.suite.ts'

const day = 24 * 3_600_000
const text = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

describeOnDatabases('times of a clock that was ahead, on %s', (newDatabase) => {
  test('become the time of now, and others stay', async () => {
    const { CAIRN_DATABASE_URL: url } = await newDatabase()
    const database = url === undefined ? {} : { database: { kind: 'postgres', url } as const }
    await using test = await openTestContext(1000, {}, database)
    const { context } = test
    const { db, config } = context
    const address = testAddress
    const now = context.clock.now()
    const ahead = now + 30 * day
    const soon = now + 3_600_000
    const store = (from: number, sign: 1 | -1, name: string) =>
      db.write(async (trx) => {
        const root_multihash = Buffer.from(name)
        const due_at = sign * from
        await trx.insertInto('announcement').values({ root_multihash, cid: text, is_listed: 1, due_at }).execute()
        const handed = { root_multihash, cid: text, is_handed: 1, due_at, tries: 0, error: null } as const
        await trx.insertInto('handed_root').values(handed).execute()
        await trx.insertInto('doomed_object').values({ object_key: name, created_at: from }).execute()
        const reservation = { id: name, address, bytes: 1, process_id: 'gone', created_at: now, expires_at: from }
        await trx.insertInto('reservation').values(reservation).execute()
        const aggregate = { id: name, cid: text, root: root_multihash, height: 1, piece_count: 1, copies: 1 }
        const times = { state: 'live', created_at: now, looked_at: from, place_at: from } as const
        await trx
          .insertInto('aggregate')
          .values({ ...aggregate, ...times })
          .execute()
        const deal = {
          number: name.length,
          aggregate_id: name,
          provider: 'a',
          provider_key: null,
          state: 'proving',
        } as const
        const states = { since: from, created_at: now, kept_at: from, proven_at: from, next_at: from }
        const rest = { tries: 0, proofs: 0, faults: 0, token_hash: null, error: null, error_facts: null }
        const challenge = { challenge_nonce: null, challenge_source: null, silent_since: null }
        await trx
          .insertInto('deal')
          .values({ ...deal, ...states, ...rest, ...challenge })
          .execute()
      })
    await store(ahead, 1, 'ahead')
    await store(ahead, -1, 'withdrawn')
    await store(soon, 1, 'soon')
    const pin = await insertPin(context, address, { cid: text }, CID.parse(text))
    await db.write((trx) => trx.updateTable('pin').set({ next_at: ahead }).execute())
    expect(await findDuePins(context, [], 10)).toEqual([])

    // Of each of the two: a reservation, an object, two times of an aggregate, four of a deal, two of content; and the pin.
    expect(await correctTimes(context)).toBe(21)
    expect(await findDuePins(context, [], 10)).toMatchObject([{ id: pin.id }])
    const at = context.clock.now()
    const isNow = (time: number | null) => time !== null && Math.abs(time) >= now && Math.abs(time) <= at
    const due = { announcement: 'root_multihash', handed_root: 'root_multihash' } as const
    for (const table of ['announcement', 'handed_root'] as const) {
      const rows = await db.read.selectFrom(table).select([due[table], 'due_at']).where('cid', '=', text).execute()
      const times = new Map(rows.map((row) => [Buffer.from(row.root_multihash).toString(), row.due_at]))
      expect(times.get('ahead')).toSatisfy(isNow)
      expect(times.get('withdrawn')).toBeLessThan(0)
      expect(times.get('withdrawn')).toSatisfy(isNow)
      expect(times.get('soon')).toBe(soon)
    }
    const deals = await db.read.selectFrom('deal').selectAll().orderBy('number').execute()
    for (const { number, since, kept_at, proven_at, next_at } of deals) {
      if (number === 'soon'.length) expect([since, kept_at, proven_at, next_at]).toEqual([soon, soon, soon, soon])
      else for (const time of [since, kept_at, proven_at, next_at]) expect(time).toSatisfy(isNow)
    }
    const others = [
      ...(await db.read.selectFrom('aggregate').select('looked_at as at').where('id', '!=', 'soon').execute()),
      ...(await db.read.selectFrom('aggregate').select('place_at as at').where('id', '!=', 'soon').execute()),
      ...(await db.read
        .selectFrom('reservation')
        .select('expires_at as at')
        .where('id', 'in', ['ahead', 'withdrawn'])
        .execute()),
      ...(await db.read
        .selectFrom('doomed_object')
        .select('created_at as at')
        .where('object_key', 'in', ['ahead', 'withdrawn'])
        .execute()),
    ]
    expect(others).toHaveLength(8)
    for (const { at: time } of others) expect(time).toSatisfy(isNow)
    expect(config.packGraceMs).toBeLessThan(30 * day)
    expect(await correctTimes(context)).toBe(0)
    // A replica whose clock is behind takes no times of others for wrong ones.
    const behind = { ...context, clock: { now: () => context.clock.now() - day } }
    if (url !== undefined) expect(await correctTimes(behind)).toBeUndefined()
  })
})

test('are corrected every ten minutes from the second hour on, and those without an index once a day', async () => {
  const start = Date.now()
  const clock = { ms: start, now: () => clock.ms }
  await using test = await openTestContext(1000, {}, { clock })
  const { db } = test.context
  const name = Buffer.from('one')
  const aggregate = {
    id: 'one',
    cid: text,
    root: name,
    height: 1,
    piece_count: 1,
    copies: 1,
    state: 'live',
    looked_at: start,
  } as const
  await db.write((trx) =>
    trx
      .insertInto('aggregate')
      .values({ ...aggregate, created_at: start })
      .execute(),
  )
  const deal = {
    number: 1,
    aggregate_id: 'one',
    provider: 'a',
    state: 'ended',
    created_at: start,
    next_at: start,
  } as const
  await db.write((trx) =>
    trx
      .insertInto('deal')
      .values({ ...deal, since: start, tries: 0, proofs: 0, faults: 0 })
      .execute(),
  )
  /** Minutes after which each of the two times had been corrected. */
  const corrected = { indexed: [] as number[], scanned: [] as number[] }
  const ahead = start + 30 * day
  const setAhead = () =>
    db.write(async (trx) => {
      await trx.updateTable('aggregate').set({ place_at: ahead }).execute()
      await trx.updateTable('deal').set({ since: ahead }).execute()
    })
  await setAhead()
  const stop = new AbortController()
  const sleep = async (ms: number) => {
    const minutes = (clock.ms - start) / 60_000
    const { place_at: placeAt } = await db.read.selectFrom('aggregate').select('place_at').executeTakeFirstOrThrow()
    const { since } = await db.read.selectFrom('deal').select('since').executeTakeFirstOrThrow()
    if (placeAt !== ahead) corrected.indexed.push(minutes)
    if (since !== ahead) corrected.scanned.push(minutes)
    if (placeAt !== ahead || since !== ahead) await setAhead()
    clock.ms += ms
    if (minutes > 50 * 60) stop.abort()
  }
  await createTimesWorker(test.context, { ...clock, sleep }, () => clock.ms - start).run(stop.signal)
  expect(corrected.indexed.slice(0, 3)).toEqual([60, 70, 80])
  expect(corrected.indexed).toHaveLength(296)
  expect(corrected.scanned).toEqual([60, 60 + 24 * 60, 60 + 48 * 60])
}, 60_000)
