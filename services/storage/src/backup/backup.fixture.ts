import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MIB } from '@cairn/protocol'
import { openSnapshot, uuidv7 } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { createS3Place, type S3Place } from '@cairn/service/s3-place-fixture'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type AdminRun, runAdmin, startAdmin } from '../admin/admin.fixture.ts'
import { readConfig } from '../config.ts'
import { searchColumns } from '../db/upload-columns.ts'
import { enter } from '../ledger/ledger.ts'
import { checkStore } from '../maintenance/maintain.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

/** Settings of a service that is not started yet. */
export type Machine = { environment: Record<string, string>; home: string }

/** Machines, destinations and a key for tests of backups, below one temporary folder. */
export type BackupWorld = AsyncDisposable & {
  readonly root: string
  /** The file that opens the backups. */
  readonly identity: string
  readonly s3: S3Place
  createMachine(name: string, kind: MachineKind): Promise<Machine>
  /** Destination of backups: a folder, or a prefix of the S3 server. */
  placeOf(name: string, kind: 'folder' | 's3'): string
}

/** Location of a service's rows and packs. S3 requires PostgreSQL. */
export type MachineKind = 'sqlite and files' | 'postgres and files' | 'postgres and s3'

export async function createBackupWorld(postgres: PostgresFixture): Promise<BackupWorld> {
  await using stack = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'cairn-backup-'))
  stack.defer(() => rm(root, { recursive: true, force: true }))
  const s3 = stack.use(await createS3Place())
  const identity = join(root, 'identity.txt')
  const { lines } = await runAdmin({}, 'backup', 'key', identity)
  const account = (prefix: string) => ({
    [`${prefix}_ENDPOINT`]: s3.proxy.url,
    [`${prefix}_REGION`]: s3.server.account.region,
    [`${prefix}_FORCE_PATH_STYLE`]: 'on',
    [`${prefix}_ACCESS_KEY_ID`]: s3.server.account.accessKeyId,
    [`${prefix}_SECRET_ACCESS_KEY`]: s3.server.account.secretAccessKey,
  })
  const owned = stack.move()
  return {
    root,
    identity,
    s3,
    async createMachine(name, kind) {
      const home = join(root, name)
      const database = kind === 'sqlite and files' ? {} : { CAIRN_DATABASE_URL: await postgres.createDatabase() }
      const packs =
        kind === 'postgres and s3'
          ? { CAIRN_OBJECTS_URL: `s3://${s3.server.bucket}/${name}`, ...account('CAIRN_S3') }
          : {}
      const backups = { CAIRN_BACKUP_RECIPIENTS: lines[0] ?? '', ...account('CAIRN_BACKUP_S3') }
      return { home, environment: { CAIRN_HOME: home, CAIRN_RATE_FACTOR: '0', ...database, ...packs, ...backups } }
    },
    placeOf: (name, kind) => (kind === 'folder' ? join(root, name) : `s3://${s3.server.bucket}/${name}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Starts the service of a machine, with its S3 API. */
export const startMachine = ({ environment }: Machine): Promise<TestStorage> =>
  startTestStorage({ ...environment, CAIRN_S3_API_PORT: '0' })

/** Runs `cairn-admin` on a machine. */
export const administer = ({ environment }: Machine, ...args: string[]): Promise<AdminRun> =>
  runAdmin(environment, ...args)

/** A stored file: its path at the gateway and its bytes. */
export type StoredContent = { path: string; bytes: Buffer }

/** Uploads files; several of them as one folder. */
export async function upload(
  storage: TestStorage,
  key: string,
  files: Record<string, Buffer<ArrayBuffer>>,
  headers: Record<string, string> = {},
): Promise<StoredContent[]> {
  const form = new FormData()
  for (const [name, bytes] of Object.entries(files)) form.append('file', new Blob([bytes]), name)
  const isFolder = Object.keys(files).length > 1
  const answer = await storage.call(`/api/v0/add${isFolder ? '?wrap-with-directory=true' : ''}`, {
    method: 'POST',
    headers: { ...bearer(key).headers, ...headers },
    body: form,
  })
  if (answer.status !== 200) throw new Error(answer.body)
  // One object per line, or a list when the client encrypted. The folder comes last.
  const cid = [...answer.body.matchAll(/"Hash":"([^"]+)"/g)].at(-1)?.[1] ?? ''
  return Object.entries(files).map(([name, bytes]) => ({ path: isFolder ? `${cid}/${name}` : cid, bytes }))
}

/** Returns the paths whose bytes differ at the gateway. */
export async function findWrong(storage: TestStorage, contents: readonly StoredContent[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { path, bytes } of contents) {
    const answer = await fetch(`${storage.gatewayUrl}/ipfs/${path}`)
    if (Buffer.compare(Buffer.from(await answer.arrayBuffer()), bytes) !== 0) wrong.push(`${path} ${answer.status}`)
  }
  return wrong
}

/** Signs a link to a private upload, and returns the part after the gateway's address. */
export async function linkTo(storage: TestStorage, key: string, cid: string): Promise<string> {
  const { headers, ...rest } = jsonBody({ cid, expiresInSeconds: 3600 })
  const signed = await storage.call('/api/gateway-links', { ...rest, headers: { ...headers, ...bearer(key).headers } })
  if (signed.status !== 200) throw new Error(signed.body)
  const { pathname, search } = new URL((signed.json as { url: string }).url)
  return `${pathname}${search}`
}

/** What a private upload returns to a stranger, by an earlier link, and by a newly signed one. */
export async function readPrivate(storage: TestStorage, key: string, cid: string, earlier: string) {
  const open = async (path: string) => {
    const answer = await fetch(`${storage.gatewayUrl}${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const { status } = await open(`/ipfs/${cid}`)
  return { stranger: status, links: [await open(earlier), await open(await linkTo(storage, key, cid))] }
}

/** The database matches its packs, and every byte of them is correct. */
export async function findFaults({ environment }: Machine): Promise<string[]> {
  const output: string[] = []
  await checkStore(readConfig(environment), { readData: 1 }, (_json, text) => output.push(text))
  return output
}

/** Creates a name whose key the service keeps, and publishes a CID under it. Returns the name. */
export async function publish(storage: TestStorage, key: string, cid: string): Promise<string> {
  const call = async (path: string, body: unknown) => {
    const sent = jsonBody(body)
    const answer = await storage.call(path, { ...sent, headers: { ...sent.headers, ...bearer(key).headers } })
    if (answer.status !== 200) throw new Error(answer.body)
    return JSON.parse(answer.body)
  }
  const { name } = await call('/api/names', { label: 'page' })
  await call(`/api/names/${name}/records`, { value: cid })
  return String(name)
}

/** Adds a payment as the indexer does for one whose block is final, with its ledger entry. */
export async function pay({ context }: TestStorage, address: string): Promise<void> {
  const now = Date.now()
  const id = uuidv7(now)
  await context.db.write(async (trx) => {
    await trx
      .insertInto('payment')
      .values({
        id,
        network: 'Test',
        chain_id: 31337,
        tx_hash: `0x${'ab'.repeat(32)}`,
        ordinal: 0,
        block_number: 7,
        block_hash: `0x${'cd'.repeat(32)}`,
        block_time: now,
        payer: address,
        address,
        token: '',
        coin: 'native',
        units: '123456789012345678901234567890',
        state: 'credited',
        bytes: MIB,
        created_at: now,
        updated_at: now,
        credited_at: now,
      })
      .execute()
    await enter(trx, { address, kind: 'payment', cause: `payment:${id}`, bytes: MIB, note: 'Payment' }, now)
  })
}

/** All rows of a database, by table, without those that processes leave. The service must be stopped. */
export async function readAllRows({ environment }: Machine): Promise<Record<string, string[]>> {
  await using snapshot = await openSnapshot(readConfig(environment).database)
  const tables: Record<string, string[]> = {}
  for (const { name, columns } of await snapshot.listTables()) {
    if (['lease', 'audit_entry'].includes(name)) continue
    const rows: string[] = []
    const names = columns.filter((column) => column !== 'removals' && !searchColumns.includes(column)).toSorted()
    for await (const batch of snapshot.readRows(`select ${names.map((each) => `"${each}"`).join(', ')} from "${name}"`))
      for (const row of batch) rows.push(JSON.stringify(row.map(describeValue)))
    tables[name] = rows.toSorted()
  }
  return tables
}

/** The drivers return bytes as different classes. */
function describeValue(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

export const restore = (
  world: BackupWorld,
  machine: Machine,
  source: string,
  ...options: string[]
): Promise<AdminRun> => administer(machine, 'restore', source, '--identity', world.identity, '--json', ...options)

/** What `findFaults` reports if there is none. */
export const clean = ['The database matches the packs.']

type User = { key: string; address: string }

export async function signUp(storage: TestStorage): Promise<User> {
  const account = privateKeyToAccount(generatePrivateKey())
  return { key: await storage.createKey(account), address: account.address.toLowerCase() }
}

/** Counts of objects as reported by a backup. */
export const readCounts = ({ json }: AdminRun) => (json[0]?.['objects'] ?? {}) as { count: number; copied: number }

/** A stopped service with uploads, and a folder for its backups. */
export type FilledService = {
  source: Machine
  place: string
  user: User
  stored: StoredContent[]
  /** The pack of each upload, as its path below the objects of a store. */
  packs: string[]
}

export async function fill(world: BackupWorld, kind: MachineKind, uploads = 3): Promise<FilledService> {
  const source = await world.createMachine('source', kind)
  const stored: StoredContent[] = []
  await using storage = await startMachine(source)
  const user = await signUp(storage)
  for (let at = 0; at < uploads; at++)
    stored.push(...(await upload(storage, user.key, { [`${at}`]: randomBytes(200_000) })))
  const rows = await storage.context.db.read.selectFrom('pack').select('object_key').orderBy('id').execute()
  const packs = rows.map(({ object_key }) => object_key)
  return { source, place: world.placeOf('backups', 'folder'), user, stored, packs }
}

/** Restores a backup to a new machine, and reads everything stored there. */
export async function expectRestored(
  world: BackupWorld,
  place: string,
  stored: readonly StoredContent[],
): Promise<void> {
  const target = await world.createMachine('restored', 'sqlite and files')
  expect(await restore(world, target, place)).toMatchObject({ code: 0, complained: '' })
  expect(await findFaults(target)).toEqual(clean)
  await using storage = await startMachine(target)
  expect(await findWrong(storage, stored)).toEqual([])
}

/** Returns the paths of all files below a folder. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

/** Starts a command, waits until a request for a pack is left unanswered, and kills the process. */
export async function killDuring(
  world: BackupWorld,
  machine: Machine,
  method: string,
  ...args: string[]
): Promise<void> {
  let isHung = false
  let passed = 0
  world.s3.proxy.plan = (request) => {
    if (request.method !== method || !request.target.includes('/objects/packs/')) return undefined
    if (++passed <= 2) return undefined
    isHung = true
    return { kind: 'hang' }
  }
  const child = startAdmin(machine.environment, ...args)
  let complained = ''
  child.stderr.on('data', (chunk) => {
    complained += String(chunk)
  })
  while (!isHung && child.exitCode === null) await sleep(10)
  expect([isHung, child.exitCode, complained]).toEqual([true, null, ''])
  child.kill('SIGKILL')
  await once(child, 'close')
  world.s3.proxy.plan = () => undefined
}

/**
 * Creates a world before each test of a file.
 * @returns a function that returns the world of the current test
 */
export function prepareBackupWorlds(): () => BackupWorld {
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
  return () => world
}

/** Limit of a test that starts several services. */
export const drillTimeoutMs = 600_000
