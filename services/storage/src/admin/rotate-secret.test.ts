// A rotation of the secret that is killed half-way, beside services that sign with the keys.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createNameKey } from '@cairn/names'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { sealSeed } from '../names/seal-key.ts'
import { secretIdOf } from '../secrets/seal.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { runAdmin, startAdmin } from './admin.fixture.ts'

const [old, fresh, third] = ['11', '22', '33'].map((byte) => byte.repeat(32)) as [string, string, string]
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const keyCount = 200

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

describe.each(databaseKinds)('a rotation on %s', (kind) => {
  test('killed half-way leaves keys that services open, and the next run completes it', async () => {
    const place = kind === 'postgres' ? { CAIRN_DATABASE_URL: await postgres.createDatabase() } : {}
    await using storage = await startTestStorage({ ...place, CAIRN_STORAGE_SECRET: old })
    const { db } = storage.context
    const key = await storage.createKey()
    const create = async (at: TestStorage) => {
      const answer = await at.call('/api/names', { method: 'POST', ...json(key) })
      expect(answer.status, answer.body).toBe(200)
      return (answer.json as { id: string }).id
    }
    const open = async (at: TestStorage, id: string) =>
      (
        await at.call(`/api/names/${id}/key`, {
          method: 'POST',
          ...bearer(key),
          headers: { ...bearer(key).headers, 'content-type': 'application/json' },
          body: '{}',
        })
      ).status
    const id = await create(storage)
    const [{ address } = { address: '' }] = await db.read.selectFrom('name_entry').select('address').execute()
    await addKeys(storage, address)
    const environment = { CAIRN_HOME: storage.home, ...place }
    const rotating = { ...environment, CAIRN_STORAGE_SECRET: fresh, CAIRN_STORAGE_SECRET_SECONDARY: old }
    const count = async (secret: string) =>
      (
        await db.read
          .selectFrom('name_entry')
          .select('id')
          .where('secret_id', '=', secretIdOf(bytesOf(secret)))
          .execute()
      ).length

    const dry = await runAdmin(rotating, 'secret', 'rotate', '--dry-run', '--json')
    expect([dry.code, dry.json]).toEqual([0, [{ kind: 'summary', sealed: 0, left: keyCount + 1, isDryRun: true }]])
    expect(await count(old)).toBe(keyCount + 1)

    const child = startAdmin(rotating, 'secret', 'rotate', '--json')
    const gone = once(child, 'exit')
    await once(createInterface(child.stdout), 'line')
    child.kill('SIGKILL')
    await gone
    const done = await count(fresh)
    expect(done).toBeGreaterThan(0)
    expect(done).toBeLessThan(keyCount + 1)

    if (kind === 'postgres') {
      // A replica started with both secrets opens either, and creates keys with the new one.
      await using replica = await startTestStorage({
        ...rotating,
        CAIRN_PACK_FOLDER: storage.context.config.packFolder,
      })
      for (const secret of [old, fresh]) {
        const some = await db.read
          .selectFrom('name_entry')
          .select('id')
          .where('secret_id', '=', secretIdOf(bytesOf(secret)))
          .executeTakeFirstOrThrow()
        expect(await open(replica, some.id)).toBe(200)
      }
      const made = await create(replica)
      expect(await open(replica, made)).toBe(200)
      expect(await count(fresh)).toBe(done + 1)
    }
    // A replica that knows only the old secret does not start now.
    const other = { ...environment, CAIRN_STORAGE_SECRET: third, CAIRN_STORAGE_SECRET_SECONDARY: old }
    const refused = await runAdmin(other, 'secret', 'rotate', '--json')
    expect([refused.code, JSON.parse(refused.complained).code]).toEqual([78, 'INVALID_CONFIGURATION'])

    const { code, json: output } = await runAdmin(rotating, 'secret', 'rotate', '--json')
    expect([code, output.at(-1)]).toEqual([
      0,
      { kind: 'summary', sealed: keyCount + 1 - done, left: 0, isDryRun: false },
    ])
    expect(await count(old)).toBe(0)
    const { json: log } = await runAdmin(environment, 'audit', '--json')
    expect(log.filter(({ action }) => action === 'secret rotate')).toHaveLength(2)
    expect(JSON.stringify(log)).not.toContain(fresh)

    if (kind !== 'postgres') return
    await using after = await startTestStorage({
      ...environment,
      CAIRN_STORAGE_SECRET: fresh,
      CAIRN_PACK_FOLDER: storage.context.config.packFolder,
    })
    expect(await open(after, id)).toBe(200)
  })
})

test('rejects a rotation without both secrets, or with the same one twice, and changes nothing', async () => {
  await using storage = await startTestStorage()
  for (const secrets of [
    { CAIRN_STORAGE_SECRET: old },
    { CAIRN_STORAGE_SECRET: old, CAIRN_STORAGE_SECRET_SECONDARY: old },
  ]) {
    const { code, complained } = await runAdmin({ CAIRN_HOME: storage.home, ...secrets }, 'secret', 'rotate', '--json')
    expect([code, JSON.parse(complained).code]).toEqual([78, 'INVALID_CONFIGURATION'])
    expect(complained).not.toContain(old)
  }
})

const json = (key: string) => ({
  headers: { ...bearer(key).headers, 'content-type': 'application/json' },
  body: JSON.stringify({ label: null }),
})

/** Keys in the service's format, without a call for each. */
async function addKeys(storage: TestStorage, address: string): Promise<void> {
  const made = await Promise.all(Array.from({ length: keyCount }, () => createNameKey()))
  await storage.context.db.write(async (trx) => {
    for (const [i, { name, seed }] of made.entries()) {
      await trx.insertInto('ipns_name').values({ name, origin: 'account', created_at: 1, updated_at: 1 }).execute()
      const seal = sealSeed(bytesOf(old), { address, name }, seed)
      const id = i.toString(16).padStart(32, '0')
      const secret_id = secretIdOf(bytesOf(old))
      await trx
        .insertInto('name_entry')
        .values({ id, address, name, label: null, seal, secret_id, created_at: 1, updated_at: 1 })
        .execute()
    }
  })
}
