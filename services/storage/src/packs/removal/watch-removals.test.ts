// Two replicas over one database and one pack folder, each with its own listeners.
import { randomBytes } from 'node:crypto'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations, openDatabase } from '../../db/database.ts'
import { bearer, startTestStorage } from '../../start-test-storage.fixture.ts'
import { systemClock } from '../../workers/worker.ts'
import { blockOf, createPackPlace } from '../pack.fixture.ts'
import { removeUnreferencedPacks } from './remove-packs.ts'
import { createRemovalCheck } from './watch-removals.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test('content removed at one replica soon disappears at the other, small and large', async () => {
  const url = await postgres.createDatabase()
  await using first = await startTestStorage({ CAIRN_DATABASE_URL: url })
  await using second = await startTestStorage({
    CAIRN_DATABASE_URL: url,
    CAIRN_PACK_FOLDER: first.context.config.packFolder,
    CAIRN_STORAGE_SECRET: Buffer.from(first.context.secret).toString('hex'),
  })
  const key = await first.createKey()
  const upload = async (bytes: Uint8Array) => {
    const body = new FormData()
    body.append('file', new Blob([bytes as BlobPart]), 'file.bin')
    const answer = await first.call('/api/v0/add', { method: 'POST', ...bearer(key), body })
    return JSON.parse(answer.body).Hash as string
  }
  const cids = [await upload(randomBytes(1000)), await upload(randomBytes(3_000_000))]
  const read = (cid: string) =>
    fetch(`${second.gatewayUrl}/ipfs/${cid}`).then(async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    })
  for (const cid of cids) expect(await read(cid)).toBe(200)

  for (const cid of cids) {
    const { json } = await first.call('/api/user/files_uploaded', bearer(key))
    const row = (json as { fileList: { id: string; cid: string }[] }).fileList.find((file) => file.cid === cid)
    expect((await first.call(`/api/user/delete_file?id=${row?.id}`, { method: 'DELETE', ...bearer(key) })).status).toBe(
      200,
    )
  }
  first.pass(1000)
  await removeUnreferencedPacks({
    ...first.context,
    clock: { ...systemClock, now: () => Date.now() + 1000 },
    graceMs: 0,
  })
  for (const cid of cids) await expect.poll(() => read(cid)).toBe(404)
})

test('serves nothing from memory while the database does not answer', async () => {
  const db = await openDatabase({ kind: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })
  const place = await createPackPlace(db)
  const block = blockOf('kept in memory')
  await place.store([block])
  const read = () =>
    place.packs.get(block.cid).then(
      () => 'served',
      () => 'refused',
    )
  const check = createRemovalCheck({ db, packs: place.packs })
  await check()
  expect(await read()).toBe('served')
  // Like a removal by another replica, while no replica can read the counter.
  await db.write((trx) => trx.updateTable('pack').set({ state: 'removing' }).execute())
  expect(await read()).toBe('served')
  const isLocked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const locking = db.write(async (trx) => {
    await sql`lock table store in access exclusive mode`.execute(trx)
    isLocked.resolve()
    await release.promise
  })
  await isLocked.promise
  const checking = check()
  await expect.poll(read).toBe('refused')
  release.resolve()
  await Promise.all([locking, checking])
  await place.remove()
})
