// Queue and leases of deliveries on each database, without a running worker.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { migrations, openDatabase } from '../db/database.ts'
import { recordEvents } from '../events/events.ts'
import { createStorageMetrics } from '../metrics.ts'
import {
  findDueWebhooks,
  listDeliveries,
  pruneDeliveries,
  recordOutcome,
  retryPausesMs,
  takeDelivery,
} from './deliveries.ts'
import { queueNewEvents, replayEvents } from './queue-deliveries.ts'
import { answer, startReceiver } from './receiver.fixture.ts'
import { judgeStatus, sendMessage } from './send-message.ts'
import { changeWebhook, insertWebhook, requireWebhook } from './store.ts'
import { openWebhookSecret } from './webhook-secret.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

const address = '0x1111111111111111111111111111111111111111'
const { signal } = new AbortController()

describe.each(databaseKinds)('deliveries on %s', (kind) => {
  const open = async () => {
    const home = await mkdtemp(join(tmpdir(), 'cairn-storage-webhooks-'))
    const db = await openDatabase(
      kind === 'sqlite'
        ? { kind, path: join(home, 'storage.sqlite') }
        : { kind, url: await postgres.createDatabase(), poolSize: 10 },
    )
    let now = 1_700_000_000_000
    const context = {
      db,
      clock: { now: () => now },
      config: readConfig({ CAIRN_HOME: home, CAIRN_WEBHOOK_PRIVATE_ADDRESSES: 'on' }),
      metrics: createStorageMetrics(),
      secret: new Uint8Array(32).fill(1),
      secondarySecret: undefined,
    }
    await db.write((trx) =>
      trx
        .insertInto('account')
        .values({ address, created_at: now, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
        .execute(),
    )
    return {
      context,
      pass: (ms: number) => {
        now += ms
      },
      record: (count: number) =>
        db.write((trx) =>
          recordEvents(
            trx,
            address,
            now,
            ...Array.from({ length: count }, (_, at) => ({
              type: 'api_key.revoked' as const,
              data: { keyId: String(at), name: '' },
            })),
          ),
        ),
      async [Symbol.asyncDispose]() {
        await db.close()
        await rm(home, { recursive: true, force: true })
      },
    }
  }
  const settings = { url: 'http://127.0.0.1:1/', types: [], description: '' }

  test('are repeated with the same id and a valid signature after a crash before their record', async () => {
    await using place = await open()
    const { context } = place
    await using receiver = await startReceiver(answer(204))
    const { row, secret } = await insertWebhook(context, address, { ...settings, url: receiver.url })
    await place.record(1)
    await queueNewEvents(context, signal)
    const deliver = async (owner: string) => {
      const taken = await takeDelivery(context, row.id, owner)
      if (taken === undefined) throw new Error('nothing is due')
      const { event_id: id, body } = taken.delivery
      const target = { url: row.url, secret: openWebhookSecret(context, taken.webhook), allowsPrivate: true }
      return { taken, outcome: await sendMessage(target, { id, body }, Date.now(), signal) }
    }
    const lost = await deliver('a process that ends here')
    expect(await takeDelivery(context, row.id, 'another')).toBeUndefined()
    place.pass(60_000)
    const { taken, outcome } = await deliver('another')
    await recordOutcome(context, taken, outcome)
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    for (const { body, headers } of receiver.received) {
      const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      expect(new Verifier(secret).verify(body, texts)).toMatchObject({ type: 'api_key.revoked', cursor: '2' })
      const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      expect(() => new Verifier(other).verify(body, texts)).toThrow()
      expect(() => new Verifier(secret).verify(`${body} `, texts)).toThrow()
    }
    // The first process returns late, and changes nothing.
    await recordOutcome(context, lost.taken, judgeStatus(500))
    const deliveries = await listDeliveries(context, row.id, { before: undefined, limit: 10 })
    expect(deliveries).toMatchObject([{ state: 'delivered', tries: 1, last_status: 204, last_error: null }])
  })

  test('are queued once and taken once per event by concurrent replicas, in order', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(450)
    await Promise.all(Array.from({ length: 4 }, () => queueNewEvents(context, signal)))
    expect(await findDueWebhooks(context, 10)).toEqual([{ id: row.id, address }])
    const taken: number[][] = await Promise.all(
      Array.from({ length: 4 }, async (_, owner) => {
        const own: number[] = []
        for (let count = 0; count < 20; count++) {
          const next = await takeDelivery(context, row.id, `owner ${owner}`)
          if (next !== undefined) own.push(next.delivery.sequence)
        }
        return own
      }),
    )
    const all = taken.flat().toSorted((a, b) => a - b)
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual(Array.from(all, (_, at) => at + 2))
    for (const own of taken) expect(own).toEqual(own.toSorted((a, b) => a - b))
    const rows = await listDeliveries(context, row.id, { before: undefined, limit: 1000 })
    expect(rows).toHaveLength(450)
  })

  test('are retried for about a day, and a webhook that fails for days is disabled until it is enabled', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(1)
    await queueNewEvents(context, signal)
    const fail = async () => {
      const taken = await takeDelivery(context, row.id, 'owner')
      if (taken === undefined) throw new Error('nothing is due')
      await recordOutcome(context, taken, judgeStatus(500))
      const [delivery] = await listDeliveries(context, row.id, { before: undefined, limit: 1 })
      return delivery
    }
    const started = context.clock.now()
    for (let tries = 0; ; tries++) {
      const delivery = await fail()
      if (delivery?.state === 'failed') break
      const pauseMs = (delivery?.next_at ?? 0) - context.clock.now()
      expect(pauseMs).toBeGreaterThanOrEqual(retryPausesMs[tries] ?? Number.NaN)
      expect(await takeDelivery(context, row.id, 'owner')).toBeUndefined()
      place.pass(pauseMs)
    }
    const hours = (context.clock.now() - started) / 3_600_000
    expect(hours).toBeGreaterThan(23)
    expect(hours).toBeLessThan(29)
    expect(await requireWebhook(context, address, row.id)).toMatchObject({ is_enabled: 1, failing_since: started })

    place.pass(context.config.webhookFailureMs)
    await place.record(2)
    await queueNewEvents(context, signal)
    // The first failure after days without events does not count as days of failure.
    expect(await fail()).toMatchObject({ state: 'pending' })
    expect(await requireWebhook(context, address, row.id)).toMatchObject({ is_enabled: 1, failing_since: started })
    await context.db.write((trx) =>
      trx.updateTable('webhook_delivery').set({ tries: retryPausesMs.length }).where('sequence', '=', 4).execute(),
    )
    await fail()
    const disabled = await requireWebhook(context, address, row.id)
    expect(disabled).toMatchObject({ is_enabled: 0, disabled_reason: expect.stringContaining('No delivery succeeded') })
    const { data } = await context.db.read
      .selectFrom('account_event')
      .select('data')
      .where('type', '=', 'webhook.disabled')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(data)).toMatchObject({
      reasonCode: 'RECEIVER_STATUS',
      status: 500,
      failingSince: new Date(started).toISOString(),
    })
    expect(await findDueWebhooks(context, 10)).toEqual([])
    await place.record(1)
    await queueNewEvents(context, signal)

    await changeWebhook(context, address, row.id, { isEnabled: true })
    await queueNewEvents(context, signal)
    const pending = (await listDeliveries(context, row.id, { before: undefined, limit: 10 })).filter(
      ({ state }) => state === 'pending',
    )
    // The one that failed once, the event of the disabling, and the one since.
    expect(pending.map(({ type }) => type)).toEqual(['api_key.revoked', 'webhook.disabled', 'api_key.revoked'])
    expect(await findDueWebhooks(context, 10)).toEqual([{ id: row.id, address }])
  })

  test('become due after a success, and a replay repeats a range', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(3)
    await queueNewEvents(context, signal)
    const end = async (status: number) => {
      const taken = await takeDelivery(context, row.id, 'owner')
      if (taken === undefined) throw new Error('nothing is due')
      await recordOutcome(context, taken, judgeStatus(status))
      return taken.delivery.sequence
    }
    expect([await end(500), await end(500), await end(200)]).toEqual([2, 3, 4])
    expect([await end(200), await end(200)]).toEqual([2, 3])
    expect(await requireWebhook(context, address, row.id)).toMatchObject({ failing_since: null })
    const webhook = await requireWebhook(context, address, row.id)
    expect(await replayEvents(context, webhook, 2, 3)).toEqual({ queued: 1, cursor: '3' })
    expect(await end(200)).toBe(3)
    await expect(replayEvents(context, webhook, 99, undefined)).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })

  test('end their failure on a success after the first failure of another delivery', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(2)
    await queueNewEvents(context, signal)
    const take = async () => {
      const taken = await takeDelivery(context, row.id, 'owner')
      if (taken === undefined) throw new Error('nothing is due')
      return taken
    }
    const [slow, fast] = [await take(), await take()]
    await recordOutcome(context, fast, judgeStatus(500))
    await recordOutcome(context, slow, judgeStatus(200))
    expect(await requireWebhook(context, address, row.id)).toMatchObject({ failing_since: null })
    expect((await take()).delivery.sequence).toBe(fast.delivery.sequence)
  })

  test('omit events of types that a webhook no longer receives', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    const { row: other } = await insertWebhook(context, address, settings)
    await insertWebhook(context, address, settings)
    await place.record(2)
    await queueNewEvents(context, signal)
    const listed = async (id: string) =>
      (await listDeliveries(context, id, { before: undefined, limit: 10 })).map(({ type }) => type)
    const [revoked, created] = ['api_key.revoked', 'webhook.created'] as const
    expect(await listed(row.id)).toEqual([revoked, revoked, created, created])
    const take = async () => {
      const taken = await takeDelivery(context, row.id, 'owner')
      if (taken === undefined) throw new Error('nothing is due')
      return taken
    }
    await recordOutcome(context, await take(), judgeStatus(200))
    const inProgress = await take()
    await changeWebhook(context, address, row.id, { types: [revoked] })
    // The delivered one stays.
    expect(await listed(row.id)).toEqual([revoked, revoked, created])
    // Its type is omitted.
    await recordOutcome(context, inProgress, judgeStatus(500))
    expect(await listed(row.id)).toEqual([revoked, revoked, created])
    await changeWebhook(context, address, row.id, { types: [] })
    expect(await listed(row.id)).toHaveLength(3)
    expect(await listed(other.id)).toEqual([revoked, revoked, created])
  })

  test('are removed a week after they ended, and never while they are pending', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(3)
    await queueNewEvents(context, signal)
    const end = async () => {
      const taken = await takeDelivery(context, row.id, 'owner')
      if (taken === undefined) throw new Error('nothing is due')
      await recordOutcome(context, taken, judgeStatus(204))
    }
    const states = async () => {
      await pruneDeliveries(context)
      return (await listDeliveries(context, row.id, { before: undefined, limit: 10 })).map(({ state }) => state)
    }
    await end()
    place.pass(7 * 24 * 3_600_000)
    await end()
    expect(await states()).toEqual(['pending', 'delivered', 'delivered'])
    place.pass(1)
    expect(await states()).toEqual(['pending', 'delivered'])
  })

  test('of all but the newest 1000 events are removed once they ended, and never while they are pending', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(2)
    await queueNewEvents(context, signal)
    const taken = await takeDelivery(context, row.id, 'owner')
    if (taken === undefined) throw new Error('nothing is due')
    await recordOutcome(context, taken, judgeStatus(204))
    await context.db.write((trx) => trx.updateTable('account').set({ event_count: 1100 }).execute())
    await place.record(1)
    await queueNewEvents(context, signal)
    const left = await listDeliveries(context, row.id, { before: undefined, limit: 10 })
    expect(left.map(({ state, sequence }) => [state, Number(sequence)])).toEqual([
      ['pending', 1101],
      ['pending', 3],
    ])
  })

  test.runIf(kind === 'postgres')('do not deadlock when a failure and a change of the webhook coincide', async () => {
    await using place = await open()
    const { context } = place
    const { db } = context
    const { row } = await insertWebhook(context, address, settings)
    await place.record(1)
    await queueNewEvents(context, signal)
    const taken = await takeDelivery(context, row.id, 'owner')
    if (taken === undefined) throw new Error('nothing is due')
    const waits = async (): Promise<boolean> => {
      const { rows } = await sql<{ count: bigint }>`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db.read)
      return Number(rows[0]?.count) > 0
    }
    let recorded: Promise<void> | undefined
    await db.write(async (trx) => {
      await trx.updateTable('webhook').set({ id: row.id }).where('id', '=', row.id).execute()
      recorded ??= recordOutcome(context, taken, judgeStatus(500))
      while (!(await waits())) {}
      // The waiting one holds no delivery.
      await sql`select sequence from webhook_delivery where webhook_id = ${row.id} for update nowait`.execute(trx)
    })
    await recorded
    const [delivery] = await listDeliveries(context, row.id, { before: undefined, limit: 1 })
    expect(delivery).toMatchObject({ state: 'pending', tries: 1 })
  })

  test('of a replay wait while the webhook is disabled, and block no others', async () => {
    await using place = await open()
    const { context } = place
    const { row: disabled } = await insertWebhook(context, address, settings)
    await place.record(3)
    await queueNewEvents(context, signal)
    const inProgress = await takeDelivery(context, disabled.id, 'owner')
    if (inProgress === undefined) throw new Error('nothing is due')
    await changeWebhook(context, address, disabled.id, { isEnabled: false })
    await recordOutcome(context, inProgress, judgeStatus(500))
    const first = inProgress.delivery.sequence
    expect(await replayEvents(context, disabled, first, undefined)).toMatchObject({ queued: 2 })
    place.pass(60_000)
    const { row } = await insertWebhook(context, address, settings)
    await place.record(1)
    await queueNewEvents(context, signal)
    expect(await findDueWebhooks(context, 1)).toEqual([{ id: row.id, address }])
    const waiting = await listDeliveries(context, disabled.id, { before: undefined, limit: 10 })
    const due = waiting.filter(({ next_at: at }) => at <= context.clock.now())
    expect(due.map(({ sequence }) => sequence)).toEqual([first])
    await changeWebhook(context, address, disabled.id, { isEnabled: true })
    expect((await findDueWebhooks(context, 10)).map(({ id }) => id)).toContain(disabled.id)
  })

  test('of a replay are queued only as far as they fit, and it says where to continue', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, settings)
    await place.record(1200)
    await queueNewEvents(context, signal)
    const pending = async () =>
      (await listDeliveries(context, row.id, { before: undefined, limit: 5000 })).filter(
        ({ state }) => state === 'pending',
      ).length
    expect(await pending()).toBe(1000)
    // A queued event already has its place.
    expect(await replayEvents(context, row, 1, 500)).toEqual({ queued: 499, cursor: '500' })
    expect(await replayEvents(context, row, 1001, undefined)).toEqual({ queued: 0, cursor: '1001' })
    expect(await pending()).toBe(1000)
    for (let count = 0; count < 10; count++) {
      const taken = await takeDelivery(context, row.id, 'owner')
      if (taken === undefined) throw new Error('nothing is due')
      await recordOutcome(context, taken, judgeStatus(200))
    }
    expect(await replayEvents(context, row, 1001, undefined)).toEqual({ queued: 10, cursor: '1011' })
    expect(await pending()).toBe(1000)
  })

  test('cause no unit of work for a webhook whose queue is full until it has space', async () => {
    await using place = await open()
    const { db } = place.context
    const { row } = await insertWebhook(place.context, address, settings)
    await place.record(1200)
    await queueNewEvents(place.context, signal)
    let units = 0
    const write: typeof db.write = (unit) => {
      units++
      return db.write(unit)
    }
    const context = { ...place.context, db: { ...db, write } }
    await queueNewEvents(context, signal)
    expect(units).toBe(0)
    const taken = await takeDelivery(place.context, row.id, 'owner')
    if (taken === undefined) throw new Error('nothing is due')
    await recordOutcome(place.context, taken, judgeStatus(200))
    await queueNewEvents(context, signal)
    expect(units).toBe(1)
    expect((await requireWebhook(context, address, row.id)).cursor).toBe(1002)
  })

  test('count events that expired before they were queued', async () => {
    await using place = await open()
    const { context } = place
    const { row } = await insertWebhook(context, address, { ...settings, types: ['api_key.revoked'] })
    await place.record(5)
    await context.db.write((trx) => trx.deleteFrom('account_event').where('sequence', '<=', 4).execute())
    await queueNewEvents(context, signal)
    expect(await requireWebhook(context, address, row.id)).toMatchObject({ missed_events: 3, cursor: 6 })
    const rows = await listDeliveries(context, row.id, { before: undefined, limit: 10 })
    expect(rows.map(({ sequence }) => sequence)).toEqual([6, 5])
  })
})
