// Merged packs on S3: read by replicas, denied, deleted, backed up and restored.
import { randomBytes } from 'node:crypto'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { failEveryFifth } from '@cairn/service/s3-proxy-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeAllDoomed } from '../objects/doomed-objects.ts'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { bearer } from '../start-test-storage.fixture.ts'
import {
  administer,
  createBackupWorld,
  findFaults,
  findWrong,
  type Machine,
  type StoredContent,
  startMachine,
  upload,
} from './backup.fixture.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

const day = 86_400_000

test('small packs are merged on S3 behind a failing network, and every promise holds before and after a restore', async () => {
  await using world = await createBackupWorld(postgres)
  const { home, environment } = await world.createMachine('source', 'postgres and s3')
  Object.assign(environment, {
    CAIRN_STORAGE_SECRET: 'ab'.repeat(32),
    CAIRN_MERGE_AGE_SECONDS: '0',
    CAIRN_MERGE_TARGET_BYTES: String(2 ** 20),
  })
  const source: Machine = { home, environment }
  const place = world.placeOf('backups', 's3')
  const objects = () => [...world.s3.server.objects('source/objects/packs/').keys()]
  const stored: StoredContent[] = []
  let denied: StoredContent | undefined
  let deleted: StoredContent | undefined
  {
    await using first = await startMachine(source)
    await using second = await startMachine({ home, environment: { ...environment, CAIRN_HOME: `${home}-second` } })
    const key = await first.createKey()
    for (let at = 0; at < 10; at++) stored.push(...(await upload(first, key, { [`${at}.bin`]: randomBytes(250_000) })))
    expect(objects()).toHaveLength(10)
    expect(await administer(source, 'backup', place, '--json')).toMatchObject({ code: 0, complained: '' })
    // Caches the previous locations.
    for (const replica of [first, second]) expect(await findWrong(replica, stored)).toEqual([])

    failEveryFifth(world.s3.proxy)
    const merged = await administer(source, 'merge-packs', '--json')
    expect(merged).toMatchObject({ code: 0, complained: '' })
    expect(merged.json.at(-1)).toMatchObject({ kind: 'summary', packs: 8, merged: 2 })
    expect(world.s3.proxy.injected.size).toBeGreaterThan(3)
    for (const replica of [first, second]) expect(await findWrong(replica, stored)).toEqual([])
    world.s3.proxy.plan = () => undefined

    // A second service on the same rows sees the merged packs, and the former objects go after the grace period.
    const later = { ...first.context, clock: { now: () => Date.now() + 2 * day, sleep: async () => undefined } }
    expect(await removeAllDoomed(later)).toBe(8)
    expect(objects()).toHaveLength(4)
    for (const replica of [first, second]) expect(await findWrong(replica, stored)).toEqual([])

    denied = stored.shift()
    expect((await administer(source, 'deny', denied?.path ?? '', '--reason', 'phishing')).code).toBe(0)
    for (const replica of [first, second]) {
      const read = async () => (await fetch(`${replica.gatewayUrl}/ipfs/${denied?.path}`)).status
      await expect.poll(read).toBe(410)
      expect(await findWrong(replica, stored)).toEqual([])
    }

    deleted = stored.shift()
    const { json } = await first.call('/api/user/files_uploaded', bearer(key))
    const row = (json as { fileList: { id: string; cid: string }[] }).fileList.find(({ cid }) => cid === deleted?.path)
    const removal = await first.call(`/api/user/delete_file?id=${row?.id}`, { method: 'DELETE', ...bearer(key) })
    expect(removal.status).toBe(200)
    expect(await removeUnreferencedPacks({ ...later, graceMs: day })).toBe(1)
    for (const replica of [first, second]) {
      const read = async () => (await fetch(`${replica.gatewayUrl}/ipfs/${deleted?.path}`)).status
      await expect.poll(read).toBe(404)
      expect(await findWrong(replica, stored)).toEqual([])
    }
  }
  expect(await findFaults(source)).toEqual(['The database matches the packs.'])
  expect(await administer(source, 'backup', place, '--json')).toMatchObject({ code: 0, complained: '' })
  const verified = await administer(source, 'backup', 'verify', place, '--identity', world.identity, '--json')
  expect(verified).toMatchObject({ code: 0, json: [{ kind: 'summary', findings: 0 }] })

  for (const kind of ['postgres and s3', 'sqlite and files'] as const) {
    const target = await world.createMachine(`target on ${kind}`.replaceAll(' ', '-'), kind)
    const restored = await administer(target, 'restore', place, '--identity', world.identity, '--json')
    expect(restored).toMatchObject({ code: 0, complained: '', json: [{ lost: 0 }] })
    expect(await findFaults(target)).toEqual(['The database matches the packs.'])
    await using storage = await startMachine(target)
    expect(await findWrong(storage, stored)).toEqual([])
    expect((await fetch(`${storage.gatewayUrl}/ipfs/${denied?.path}`)).status).toBe(410)
    expect((await fetch(`${storage.gatewayUrl}/ipfs/${deleted?.path}`)).status).toBe(404)
  }
}, 600_000)
