// A stopped service moves from SQLite and a folder to PostgreSQL and S3, as an operator does it.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { interrupted } from '@cairn/service/admin'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../admin/run-command.ts'
import { openChain } from '../ipni/chain.ts'
import { bearer } from '../start-test-storage.fixture.ts'
import {
  administer,
  type BackupWorld,
  createBackupWorld,
  findWrong,
  type Machine,
  pay,
  publish,
  type StoredContent,
  startMachine,
  upload,
} from './backup.fixture.ts'

let postgres: PostgresFixture
let world: BackupWorld
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())
beforeEach(async () => {
  world = await createBackupWorld(postgres)
})
afterEach(() => world[Symbol.asyncDispose]())

const timeoutMs = 600_000

/** A SQLite service that ran and stopped. */
async function createSource() {
  const source = await world.createMachine('home', 'sqlite and files')
  const account = privateKeyToAccount(generatePrivateKey())
  const stored: StoredContent[] = []
  await using storage = await startMachine(source)
  const key = await storage.createKey(account)
  for (let i = 0; i < 6; i++) stored.push(...(await upload(storage, key, { [`${i}.bin`]: randomBytes(1000 + i) })))
  stored.push(...(await upload(storage, key, { 'a.bin': randomBytes(3_000_000), 'b.txt': randomBytes(300) })))
  const name = await publish(storage, key, stored[0]?.path ?? '')
  await pay(storage, account.address.toLowerCase())
  // Like a service that announces content.
  const { publisher } = await openChain(storage.context)
  return { source, stored, key, name, peer: publisher.peerId }
}

/** The settings of the service after the migration: another database and packs, in the same home. */
async function moveTo(source: Machine, kind: 'postgres and files' | 'postgres and s3'): Promise<Machine> {
  const { environment } = await world.createMachine('target', kind)
  return { home: source.home, environment: { ...environment, CAIRN_HOME: source.home } }
}

/** Bytes of every pack, and the rows of the database, which must not change. */
async function readSource({ home }: Machine): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && (path.endsWith('.car') || entry.name === 'storage.sqlite'))
      files.set(path, (await readFile(path)).toString('hex'))
  }
  return files
}

test.each(['postgres', 's3'] as const)(
  'moves everything to %s, compares it, and leaves the source unchanged',
  async (to) => {
    const { source, stored, key, name, peer } = await createSource()
    const target = await moveTo(source, to === 's3' ? 'postgres and s3' : 'postgres and files')
    const before = await readSource(source)
    expect(before.size).toBeGreaterThan(1)
    const dry = await administer(target, 'migrate', '--to', to, '--dry-run', '--json')
    expect(dry).toMatchObject({ code: 0, complained: '' })
    const moved = await administer(target, 'migrate', '--to', to, '--json')
    expect(moved).toMatchObject({ code: 0, complained: '' })
    expect(moved.json[0]).toMatchObject({
      kind: 'migrated',
      findings: 0,
      rows: dry.json[0]?.['rows'],
      ...(to === 's3' ? { objects: before.size - 1, copied: before.size - 1 } : { objects: 0 }),
    })
    expect(await readSource(source)).toEqual(before)
    // The old packs are not needed on S3.
    if (to === 's3') await rm(join(source.home, 'packs'), { recursive: true })

    await using storage = await startMachine(target)
    expect(storage.context.db.kind).toBe('postgres')
    expect(await findWrong(storage, stored)).toEqual([])
    const list = await storage.call('/api/user/files_uploaded', bearer(key))
    expect(list.json).toMatchObject({ totalFiles: expect.anything() })
    const named = await fetch(`${storage.gatewayUrl}/ipns/${name}`)
    expect(Buffer.from(await named.arrayBuffer())).toEqual(stored[0]?.bytes)
    const { json: payments } = await storage.call('/api/payments', bearer(key))
    expect(payments).toMatchObject({ payments: [{ state: 'credited' }] })
    // Indexers know the chain of advertisements, which must continue.
    expect((await openChain(storage.context)).publisher.peerId).toBe(peer)
    expect(await findWrong(storage, await upload(storage, key, { 'new.bin': randomBytes(5000) }))).toEqual([])
    const audit = await administer(target, 'audit', '--json')
    expect(audit.json).toMatchObject([{ action: 'migrate', subject: to }])
    // A service on the old database would change the packs of the new one.
    await expect(startMachine(source)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('was moved'),
    })
    // Once is enough.
    const again = await administer(target, 'migrate', '--to', to, '--json')
    expect([again.code, JSON.parse(again.complained).code]).toEqual([78, 'CONFLICT'])
  },
  timeoutMs,
)

test(
  'refuses while the service runs, and rejects settings that do not fit',
  async () => {
    const { source } = await createSource()
    const target = await moveTo(source, 'postgres and s3')
    {
      await using _running = await startMachine(source)
      const refused = await administer(target, 'migrate', '--to', 's3', '--json')
      expect([refused.code, JSON.parse(refused.complained).code]).toEqual([78, 'CONFLICT'])
    }
    for (const to of ['postgres', 's3']) {
      const unset = await administer(source, 'migrate', '--to', to, '--json')
      expect([unset.code, JSON.parse(unset.complained).code]).toEqual([78, 'INVALID_CONFIGURATION'])
    }
    expect((await administer(target, 'migrate', '--to', 'postgres')).code).toBe(78)
    expect((await administer(target, 'migrate', '--to', 'mysql')).code).toBe(2)
  },
  timeoutMs,
)

test(
  'continues after an interruption, and reports a pack that was damaged before',
  async () => {
    const { source, stored } = await createSource()
    const target = await moveTo(source, 'postgres and s3')
    const abort = new AbortController()
    const interruptedCode = await runCommand(['migrate', '--to', 's3'], {
      environment: target.environment,
      write: () => undefined,
      complain: () => undefined,
      signal: abort.signal,
      showProgress: (text) => {
        if (text.includes('objects')) abort.abort(interrupted())
      },
    })
    expect(interruptedCode).toBe(1)

    const packs = [...(await readSource(source))].filter(([path]) => path.endsWith('.car'))
    const [[damaged = ''] = []] = packs.toSorted(([, one], [, other]) => other.length - one.length)
    const bytes = await readFile(damaged)
    bytes.writeUInt8(bytes.readUInt8(1_500_000) ^ 1, 1_500_000)
    await writeFile(damaged, bytes)
    const resumed = await administer(target, 'migrate', '--to', 's3', '--json')
    expect(resumed).toMatchObject({ code: 1, complained: '' })
    const [finding, summary] = resumed.json
    expect(finding).toMatchObject({ kind: 'finding', reason: 'damaged' })
    expect(summary).toMatchObject({ kind: 'migrated', objects: packs.length, findings: 1 })
    // What the first run copied was not copied again.
    expect(Number(summary?.['copied'])).toBeLessThan(packs.length)
    await using storage = await startMachine(target)
    // The damaged pack contains the 3 MB file; all others are complete.
    const others = stored.filter(({ bytes: { length } }) => length < 2000)
    expect(others.length).toBe(stored.length - 1)
    expect(await findWrong(storage, others)).toEqual([])
  },
  timeoutMs,
)
