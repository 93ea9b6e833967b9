// Uploads in parts reserve storage within limits, and free it when they are cancelled or abandoned.
import { randomBytes } from 'node:crypto'
import { MIB, type UploadInfo } from '@cairn/protocol'
import { createKilledReplica } from '@cairn/service/killed-replica-fixture'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { removeAllDoomed } from '../objects/doomed-objects.ts'
import { describeTus } from './describe-tus.fixture.ts'
import { dropUpload } from './store.ts'
import { createResumableWorker, removeAbandoned, removeExpired } from './worker.ts'

const day = 24 * 3_600_000
const never = new AbortController().signal
describeTus('uploads in parts on %s', (world) => {
  test('reserve storage from the start, and release it on cancellation', async () => {
    const { tus, create, patch, head, figures } = world()
    const refused = await tus('/api/uploads', { method: 'POST', headers: { 'upload-length': String(65 * MIB) } })
    expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([402, 'QUOTA_EXCEEDED'])
    // In one form, also where no call of tus is.
    expect(refused.json).toMatchObject({ error: { code: 'QUOTA_EXCEEDED', details: { neededBytes: 65 * MIB } } })
    const { json: other } = await tus('/api/uploads', { method: 'PUT' })
    expect(other).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
    const path = await create(60 * MIB)
    const second = await tus('/api/uploads', { method: 'POST', headers: { 'upload-length': String(5 * MIB) } })
    expect(second.status).toBe(402)
    await patch(path, 0, randomBytes(MIB))
    expect(await figures()).toMatchObject({ reserved: 60 * MIB, parts: 0 })
    expect((await tus(path, { method: 'DELETE' })).status).toBe(204)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect((await head(path)).status).toBe(404)
    expect((await patch(path, MIB, randomBytes(1))).status).toBe(404)
  })

  test('are limited per account, and invisible to other accounts', async () => {
    const { storage, tus, create, patch, figures } = world()
    const paths = [await create(5), await create(6), await create(7)]
    const more = await tus('/api/uploads', { method: 'POST', headers: { 'upload-length': '5' } })
    expect([more.status, more.headers.get('x-cairn-code')]).toEqual([403, 'UPLOAD_LIMIT'])
    expect(await figures()).toMatchObject({ reserved: 18 })
    const list = (await tus('/api/uploads')).json as { uploads: UploadInfo[] }
    expect(list.uploads.map(({ lengthBytes }) => lengthBytes)).toEqual([7, 6, 5])
    const mine = world().key
    world().key = await storage.createKey()
    for (const method of ['GET', 'HEAD', 'DELETE'])
      expect((await tus(paths[0] ?? '', { method })).status, method).toBe(404)
    expect((await patch(paths[0] ?? '', 0, randomBytes(5))).status).toBe(404)
    expect((await tus('/api/uploads')).json).toEqual({ uploads: [] })
    world().key = mine
    expect((await patch(paths[0] ?? '', 0, randomBytes(5))).status).toBe(204)
  })

  test('expire when abandoned, with their parts and their reserved storage', async () => {
    const { storage, create, patch, head, figures } = world()
    const path = await create(3 * MIB)
    await patch(path, 0, randomBytes(MIB))
    storage.pass(6 * day)
    await patch(path, MIB, randomBytes(MIB))
    storage.pass(6 * day)
    expect((await head(path)).offset).toBe(2 * MIB)
    storage.pass(day + 1000)
    await removeExpired(storage.context, never)
    expect((await head(path)).status).toBe(404)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('continue after a clock that was ahead', async () => {
    const { storage, create, patch, head } = world()
    const path = await create(3 * MIB)
    await patch(path, 0, randomBytes(MIB))
    storage.pass(30 * day)
    const stop = new AbortController()
    const { now } = storage.context.clock
    await createResumableWorker(storage.context, { now, sleep: async () => stop.abort() }).run(stop.signal)
    expect((await patch(path, MIB, randomBytes(MIB))).status).toBe(204)
    storage.pass(-30 * day)
    expect(await head(path)).toMatchObject({ status: 200, offset: 2 * MIB })
    expect((await patch(path, 2 * MIB, randomBytes(MIB))).status).toBe(204)
  })

  test('that were continued are not dropped as expired', async () => {
    const { storage, settings, create, patch, head, figures } = world()
    const { db, clock } = storage.context
    const path = await create(2 * MIB)
    await patch(path, 0, randomBytes(MIB))
    const id = path.split('/').at(-1) ?? ''
    const none = { keys: [], packs: [] }
    expect(await dropUpload(storage.context, id, clock.now())).toEqual(none)
    storage.pass(8 * day)
    const [locked, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const continuing = db.write(async (trx) => {
      await trx
        .updateTable('resumable_upload')
        .set({ expires_at: clock.now() + day })
        .where('id', '=', id)
        .execute()
      locked.resolve()
      await commit.promise
    })
    await locked.promise
    const drop = dropUpload(storage.context, id, clock.now())
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if ('CAIRN_DATABASE_URL' in settings)
      await expect.poll(async () => (await waiting.execute(db.read)).rows.length, { timeout: 20_000 }).toBe(1)
    commit.resolve()
    await continuing
    expect(await drop).toEqual(none)
    expect(await figures()).toMatchObject({ reserved: 2 * MIB, parts: 1 })
    expect((await head(path)).offset).toBe(MIB)
    expect((await patch(path, MIB, randomBytes(MIB))).status).toBe(204)
  })

  test('of a replica that exited, without a record, are removed, and others stay', async () => {
    const { storage, settings, create, patch, figures } = world()
    const { context } = storage
    const path = await create(2 * MIB)
    await patch(path, 0, randomBytes(MIB))
    const killed = await createKilledReplica(context.config.packFolder)
    await killed.finish('uploads/lost.0.x')
    // A confirmed part without a row may have lost it.
    await killed.finish('uploads/unknown.0.x', { confirm: true })
    await removeAbandoned(context, never)
    // With SQLite every other replica is gone. With other replicas, its age decides.
    expect(await context.objects.size('uploads/lost.0.x')).toBe(!('CAIRN_DATABASE_URL' in settings) ? undefined : 10)
    await killed.age()
    await removeAbandoned(context, never)
    expect(await context.objects.size('uploads/lost.0.x')).toBeUndefined()
    expect(await context.objects.size('uploads/unknown.0.x')).toBe(10)
    await context.objects.remove('uploads/unknown.0.x')
    expect((await figures()).parts).toBe(1)
    expect((await patch(path, MIB, randomBytes(MIB))).status).toBe(204)
  })

  test('left by an interrupted removal are removed by the next round', async () => {
    const { storage, create, patch, head, figures } = world()
    const { context } = storage
    const path = await create(2 * MIB)
    await patch(path, 0, randomBytes(MIB))
    // The state after a cancelled upload whose process ended right after its unit of work.
    const { keys } = await dropUpload(context, path.split('/').at(-1) ?? '')
    expect(keys).toHaveLength(1)
    expect((await head(path)).status).toBe(404)
    await removeAllDoomed(context)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect(await context.db.read.selectFrom('doomed_object').selectAll().execute()).toEqual([])
  })
})
