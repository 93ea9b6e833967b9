import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSnapshot } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { createS3Place, type S3Place } from '@cairn/service/s3-place-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runKeyNodeAdmin } from '../admin/admin.fixture.ts'
import { readKeyNodeConfig } from '../config.ts'
import { callAs, createTestWallet, createText, openTestSession, openWith, startTestNode } from '../test-node.fixture.ts'

let postgres: PostgresFixture
let s3: S3Place
let folder: string
let identity: string
let recipient: string
beforeAll(async () => {
  postgres = await startPostgres()
  s3 = await createS3Place()
  folder = await mkdtemp(join(tmpdir(), 'cairn-keynode-backup-'))
  identity = join(folder, 'backup.key')
  recipient = (await runKeyNodeAdmin({}, 'backup', 'key', identity)).lines.join('')
})
afterAll(async () => {
  await s3?.[Symbol.asyncDispose]()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const secret = '11'.repeat(32)
const cid = `bafkrei${'a'.repeat(51)}q`
const shard = { key: '1', index: '1' }
let home: string
beforeEach(async () => {
  home = await mkdtemp(join(folder, 'home-'))
})

/** Settings of a node with an empty home and database. */
async function settingsOf(kind: 'sqlite' | 'postgres', name: string): Promise<Record<string, string>> {
  const { accessKeyId = '', secretAccessKey = '' } = s3.settings.credentials ?? {}
  return {
    CAIRN_KEYNODE_NUMBER: '1',
    CAIRN_KEYNODE_HOME: join(home, name),
    CAIRN_BACKUP_RECIPIENTS: recipient,
    CAIRN_BACKUP_S3_ENDPOINT: s3.settings.endpoint ?? '',
    CAIRN_BACKUP_S3_REGION: s3.settings.region,
    CAIRN_BACKUP_S3_FORCE_PATH_STYLE: 'on',
    CAIRN_BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
    CAIRN_BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
    ...(kind === 'postgres' ? { CAIRN_KEYNODE_DATABASE_URL: await postgres.createDatabase() } : {}),
  }
}

/** Reads every row of some tables. */
async function readRows(environment: Record<string, string>, tables: readonly string[]) {
  const { database } = readKeyNodeConfig({ CAIRN_KEYNODE_SECRET: secret, ...environment })
  await using snapshot = await openSnapshot(database)
  const all: Record<string, unknown[]> = {}
  for (const { name, columns } of await snapshot.listTables()) {
    if (!tables.includes(name)) continue
    const kept = columns.filter((column) => column !== 'restored_at')
    const rows: unknown[] = []
    for await (const batch of snapshot.readRows(`select ${kept.join(', ')} from ${name} order by 1, 2`))
      rows.push(...batch.map((row) => row.map((value) => (value instanceof Uint8Array ? [...value] : value))))
    all[name] = rows
  }
  return all
}

const durable = ['node', 'key', 'shared', 'other_set', 'change']
const transient = ['session', 'seen_proof', 'bearer_use', 'spent_challenge']

describe.each([
  ['sqlite', 'postgres', 'folder'],
  ['postgres', 'sqlite', 's3'],
] as const)('from %s to %s over %s', (from, to, kind) => {
  test('restores shards, rights and the secret of a running node, and no session', async () => {
    const destination =
      kind === 's3' ? `s3://${s3.settings.bucket}/keynode-${crypto.randomUUID()}` : join(home, 'backups')
    const source = { ...(await settingsOf(from, 'source')), CAIRN_KEYNODE_SECRET: secret }
    const wallet = createTestWallet()
    let before: Awaited<ReturnType<typeof readRows>>
    let text: string
    {
      await using node = await startTestNode(source, { home: join(home, 'source') })
      const owner = await openTestSession(node, wallet)
      const saved = await callAs(node, owner, 'POST', '/api/setSharedKey/1', {
        cid,
        payload: shard,
        sharedTo: [createTestWallet().address],
      })
      expect(saved.status).toBe(200)
      text = await createText(node, wallet)

      const plan = await runKeyNodeAdmin(source, 'backup', destination, '--dry-run', '--json')
      expect([plan.code, plan.json]).toEqual([0, [{ kind: 'plan', destination, isDryRun: true }]])
      const made = await runKeyNodeAdmin(source, 'backup', destination, '--json')
      expect([made.complained, made.code]).toEqual(['', 0])
      expect(made.json[0]).toMatchObject({ kind: 'backup', node: 1, network: 'local', publicKey: node.publicKey })
      before = await readRows(source, [...durable, ...transient])
      expect(before['session']).toHaveLength(1)
    }
    const listed = await runKeyNodeAdmin(source, 'backup', 'list', destination, '--json')
    expect(listed.json).toHaveLength(1)
    const checked = await runKeyNodeAdmin(source, 'backup', 'verify', destination, '--identity', identity, '--json')
    expect(checked.json).toEqual([{ kind: 'summary', backups: 1, findings: 0 }])

    const target = await settingsOf(to, 'target')
    const dry = await runKeyNodeAdmin(target, 'restore', destination, '--identity', identity, '--dry-run', '--json')
    expect([dry.complained, dry.json[0]]).toMatchObject(['', { kind: 'restored', isDryRun: true }])
    const restored = await runKeyNodeAdmin(target, 'restore', destination, '--identity', identity, '--json')
    expect([restored.complained, restored.json[0]]).toMatchObject(['', { keys: 1, secret: 'written' }])
    const after = await readRows(target, [...durable, ...transient])
    expect(after).toEqual({ ...before, ...Object.fromEntries(transient.map((name) => [name, []])) })
    const secretFile = join(home, 'target', 'keynode.key')
    expect([(await readFile(secretFile, 'utf8')).trim(), (await stat(secretFile)).mode & 0o777]).toEqual([
      secret,
      0o600,
    ])

    const again = await runKeyNodeAdmin(target, 'restore', destination, '--identity', identity, '--json')
    expect([again.code, JSON.parse(again.complained).code]).toEqual([78, 'CONFLICT'])
    const logged = await runKeyNodeAdmin({ ...target, CAIRN_KEYNODE_SECRET: secret }, 'audit', '--json')
    expect(logged.json.map(({ action }) => action)).toEqual(['restore'])

    await using node = await startTestNode(target, { home: join(home, 'target') })
    // The text was not used, but another one from before the backup may have been.
    expect((await openWith(node, wallet, [text])).code).toBe('CHALLENGE_EXPIRED')
    // No wallet signs a text that the node would reject.
    const now = node.now()
    const subject = { id: crypto.randomUUID(), domain: 'keys.test', address: wallet.address, issuedAt: now }
    const early = await node.call('POST', '/api/keys/nonce/1', { body: { ...subject, expiresAt: now + 600_000 } })
    expect([early.status, early.code]).toEqual([503, 'KEY_UNCONFIRMED'])
    expect(early.text).toMatch(/Key node 1 was restored from a backup and accepts sign-ins in (?:[1-5]\d?|60) s/)
    expect((await node.call('GET', `/api/message/${wallet.address}`)).code).toBe('KEY_UNCONFIRMED')
    node.pass(120_000)
    const owner = await openTestSession(node, wallet)
    expect((await callAs(node, owner, 'POST', '/api/retrieveSharedKey/1', { cid })).code).toBe('KEY_UNCONFIRMED')
    // The only node of its network has no peers, so its owner confirms it.
    expect((await callAs(node, owner, 'POST', '/api/keys/repair/1', { cid })).status).toBe(200)
    expect((await callAs(node, owner, 'POST', '/api/retrieveSharedKey/1', { cid })).json).toMatchObject({
      payload: { key: expect.stringMatching(/1$/) },
    })
  }, 60_000)
})

test('marks every key of a large node as restored', async () => {
  const source = { ...(await settingsOf('sqlite', 'source')), CAIRN_KEYNODE_SECRET: secret }
  const place = join(home, 'backups')
  {
    await using node = await startTestNode(source, { home: join(home, 'source') })
    await node.context.db.write((trx) =>
      sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < 10001)
        insert into key (cid, cid_as_given, owner, creator, version, state, set_id, sealed_version, digest, change_kind,
          change_id, created_at, updated_at)
        select 'c' || n, 'c' || n, 'o', 'o', 1, 'held', 's', 1, 'd', 'save', 'i', 1, 1 from number`.execute(trx),
    )
    expect((await runKeyNodeAdmin(source, 'backup', place)).code).toBe(0)
  }
  const target = await settingsOf('postgres', 'target')
  const { json } = await runKeyNodeAdmin(target, 'restore', place, '--identity', identity, '--json')
  expect(json).toMatchObject([{ keys: 10_001 }])
  await using node = await startTestNode({ ...target, CAIRN_KEYNODE_SECRET: secret }, { home: join(home, 'target') })
  const keys = node.context.db.read.selectFrom('key').select('cid').where('restored_at', 'is', null)
  expect(await keys.execute()).toEqual([])
}, 60_000)

test('compares the second secret of a rotation before anything is written', async () => {
  const place = join(home, 'backups')
  const [second, another] = ['22'.repeat(32), '33'.repeat(32)]
  const source = {
    ...(await settingsOf('sqlite', 'source')),
    CAIRN_KEYNODE_SECRET: secret,
    CAIRN_KEYNODE_SECRET_SECONDARY: second,
  }
  {
    await using _node = await startTestNode(source, { home: join(home, 'source') })
    expect((await runKeyNodeAdmin(source, 'backup', place)).code).toBe(0)
  }
  const target = await settingsOf('sqlite', 'target')
  const restore = (environment: Record<string, string>) =>
    runKeyNodeAdmin({ ...target, ...environment }, 'restore', place, '--identity', identity, '--json')
  const refused = await restore({ CAIRN_KEYNODE_SECRET_SECONDARY: another })
  expect([refused.code, JSON.parse(refused.complained)]).toMatchObject([
    78,
    { code: 'INVALID_CONFIGURATION', message: expect.stringContaining('second secret') },
  ])
  await expect(stat(join(home, 'target'))).rejects.toThrow('ENOENT')
  // A later rotation has both, in reverse order.
  expect((await restore({ CAIRN_KEYNODE_SECRET: second, CAIRN_KEYNODE_SECRET_SECONDARY: secret })).code).toBe(0)
}, 60_000)

test('refuses other nodes, other keys and changed files, and keeps the newest backups', async () => {
  const place = join(home, 'backups')
  const source = { ...(await settingsOf('sqlite', 'source')), CAIRN_KEYNODE_SECRET: secret }
  await using node = await startTestNode(source, { home: join(home, 'source') })
  const owner = await openTestSession(node)
  await callAs(node, owner, 'POST', '/api/setSharedKey/1', { cid, payload: shard })
  for (let i = 0; i < 3; i++) expect((await runKeyNodeAdmin(source, 'backup', place)).code).toBe(0)
  const codeOf = async (environment: Record<string, string>, ...args: string[]) => {
    const { code, complained } = await runKeyNodeAdmin(environment, ...args, '--json')
    return [code, complained === '' ? undefined : JSON.parse(complained).code]
  }

  const other = { ...(await settingsOf('sqlite', 'other')), CAIRN_KEYNODE_NUMBER: '2' }
  await using second = await startTestNode(
    { ...other, CAIRN_KEYNODE_SECRET: '22'.repeat(32) },
    { home: join(home, 'other') },
  )
  expect(second.node).toBe(2)
  const ofSecond = { ...other, CAIRN_KEYNODE_SECRET: '22'.repeat(32) }
  expect(await codeOf(ofSecond, 'backup', place)).toEqual([78, 'BACKUP_OF_ANOTHER'])
  const third = { ...(await settingsOf('sqlite', 'third')), CAIRN_KEYNODE_NUMBER: '3' }
  expect(await codeOf(third, 'restore', place, '--identity', identity)).toEqual([78, 'INVALID_CONFIGURATION'])
  const stranger = join(home, 'stranger.key')
  await runKeyNodeAdmin({}, 'backup', 'key', stranger)
  const target = await settingsOf('sqlite', 'target')
  expect(await codeOf(target, 'restore', place, '--identity', stranger)).toEqual([78, 'BACKUP_KEY'])
  const wrong = { ...target, CAIRN_KEYNODE_SECRET: '33'.repeat(32) }
  expect(await codeOf(wrong, 'restore', place, '--identity', identity)).toEqual([78, 'INVALID_CONFIGURATION'])
  expect(await codeOf(source, 'backup', 'prune', place)).toEqual([2, 'USAGE'])

  expect((await runKeyNodeAdmin(source, 'backup', 'prune', place, '--keep', '1', '--json')).json[0]).toMatchObject({
    backups: [expect.any(String), expect.any(String)],
    kept: 1,
  })
  const { json: left } = await runKeyNodeAdmin(source, 'backup', 'list', place, '--json')
  expect(left).toHaveLength(1)
  const id = String(left[0]?.['id'])
  const files = await readdir(join(place, 'objects/backups', id))
  expect(files.toSorted()).toEqual(['database.age', 'manifest.json', 'secrets.age'])
  // Neither the secret nor an address can be read in a backup.
  for (const name of files) {
    const text = await readFile(join(place, 'objects/backups', id, name), 'latin1')
    expect([text.includes(secret), text.includes(owner.address)]).toEqual([false, false])
  }

  const path = join(place, 'objects/backups', id, 'database.age')
  const bytes = await readFile(path)
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
  await rm(path)
  await writeFile(path, bytes)
  expect((await runKeyNodeAdmin(source, 'backup', 'verify', place)).code).toBe(1)
  expect(await codeOf(target, 'restore', place, '--identity', identity)).toEqual([1, 'BACKUP_DAMAGED'])
  // The database contains none of it. A node started on it would claim it, and would lack its keys.
  expect((await readRows(target, ['key']))['key']).toEqual([])
  const opened = startTestNode({ ...target, CAIRN_KEYNODE_SECRET: secret }, { home: join(home, 'target') })
  await expect(opened).rejects.toThrow('A restore into the database of this key node did not finish')
  expect((await runKeyNodeAdmin(source, 'backup', place)).code).toBe(0)
  expect(await codeOf(target, 'restore', place, '--identity', identity)).toEqual([0, undefined])
  await using restored = await startTestNode(target, { home: join(home, 'target') })
  expect(restored.publicKey).toBe(node.publicKey)
}, 60_000)
