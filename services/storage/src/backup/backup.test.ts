// The drill: a service is backed up while it works, and a new machine starts from the backup.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { resumableSegmentBytes, tusBodyType, type UploadInfo } from '@cairn/protocol'
import { interrupted } from '@cairn/service/admin'
import { openFileStore } from '@cairn/service/objects'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AdminRun, startAdmin } from '../admin/admin.fixture.ts'
import { runCommand } from '../admin/run-command.ts'
import { readConfig } from '../config.ts'
import { openStore } from '../maintenance/open-store.ts'
import { doomObjects, removeAllDoomed } from '../objects/doomed-objects.ts'
import { removeUnreferencedPacks } from '../packs/remove-packs.ts'
import { createS3Credential } from '../s3/s3.ts'
import { bearer, type TestStorage } from '../start-test-storage.fixture.ts'
import { holdRemovals } from '../workers/removal-hold.ts'
import { systemClock } from '../workers/worker.ts'
import {
  administer,
  type BackupWorld,
  createBackupWorld,
  findFaults,
  findWrong,
  type Machine,
  type MachineKind,
  pay,
  publish,
  readAllRows,
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

const drillTimeoutMs = 600_000

const restore = (machine: Machine, source: string, ...options: string[]) =>
  administer(machine, 'restore', source, '--identity', world.identity, '--json', ...options)

function openS3(storage: TestStorage, credentials: { accessKeyId: string; secretAccessKey: string }): S3Client {
  const endpoint = storage.profile.s3?.endpoint ?? ''
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 })
}

async function signUp(storage: TestStorage) {
  const account = privateKeyToAccount(generatePrivateKey())
  return { key: await storage.createKey(account), address: account.address.toLowerCase() }
}

/** Counts of objects as reported by a backup. */
const readCounts = ({ json }: AdminRun) => (json[0]?.['objects'] ?? {}) as { count: number; copied: number }

const clean = ['The database matches the packs.']

const drills: [MachineKind, 'folder' | 's3', MachineKind][] = [
  ['sqlite and files', 'folder', 'sqlite and files'],
  ['postgres and s3', 's3', 'postgres and s3'],
  ['postgres and files', 'folder', 'sqlite and files'],
  ['sqlite and files', 's3', 'postgres and s3'],
]
test.each(drills)(
  'a service on %s, backed up to %s, continues on %s',
  async (from, destination, to) => {
    const source = await world.createMachine('source', from)
    const place = world.placeOf('backups', destination)
    const stored: StoredContent[] = []
    let name = ''
    let user = { key: '', address: '' }
    let keys = { accessKeyId: '', secretAccessKey: '' }
    let uploadId: string | undefined
    let part: string | undefined
    const object = Buffer.from('an object of a bucket')
    {
      await using storage = await startMachine(source)
      user = await signUp(storage)
      stored.push(...(await upload(storage, user.key, { 'a.txt': randomBytes(20) })))
      stored.push(...(await upload(storage, user.key, { 'b.bin': randomBytes(3_000_000), 'c.txt': randomBytes(300) })))
      stored.push(...(await upload(storage, user.key, { 'd.bin': randomBytes(90_000) }, { encryption: 'true' })))
      name = await publish(storage, user.key, stored[0]?.path ?? '')
      await pay(storage, user.address)
      const [, keyId = ''] = user.key.split('_')
      keys = await createS3Credential(storage.context, { address: user.address, keyId }, [])
      using client = { s3: openS3(storage, keys), [Symbol.dispose]: () => client.s3.destroy() }
      await client.s3.send(new CreateBucketCommand({ Bucket: 'drill' }))
      await client.s3.send(new PutObjectCommand({ Bucket: 'drill', Key: 'one', Body: object }))
      const begun = await client.s3.send(new CreateMultipartUploadCommand({ Bucket: 'drill', Key: 'two' }))
      uploadId = begun.UploadId
      const target = { Bucket: 'drill', Key: 'two', UploadId: uploadId, PartNumber: 1 }
      part = (await client.s3.send(new UploadPartCommand({ ...target, Body: object }))).ETag

      // Uploads continue during the first backup.
      let isBackedUp = false
      const uploading = (async () => {
        const during: StoredContent[] = []
        while (!isBackedUp) during.push(...(await upload(storage, user.key, { 'e.bin': randomBytes(50_000) })))
        return during
      })()
      const first = await administer(source, 'backup', place, '--json').finally(() => {
        isBackedUp = true
      })
      const during = await uploading
      expect([first.code, first.complained]).toEqual([0, ''])

      // The service works on while a new machine starts from its backup.
      const early = await world.createMachine('early', to)
      expect(await restore(early, place)).toMatchObject({ code: 0, complained: '' })
      expect(await findFaults(early)).toEqual(clean)
      await using restored = await startMachine(early)
      expect(await findWrong(restored, stored)).toEqual([])
      stored.push(...during)
      stored.push(...(await upload(storage, user.key, { 'f.bin': randomBytes(2_000_000) })))
    }

    // The next backup copies only new packs; the service does not run.
    const second = await administer(source, 'backup', place, '--json')
    expect([second.code, second.complained]).toEqual([0, ''])
    const { count, copied } = readCounts(second)
    expect([copied > 0, copied < count]).toEqual([true, true])
    expect((await administer(source, 'backup', place, '--json')).json[0]?.['objects']).toMatchObject({
      count,
      copied: 0,
    })
    const verified = await administer(source, 'backup', 'verify', place, '--identity', world.identity, '--json')
    expect(verified).toMatchObject({ code: 0, json: [{ kind: 'summary', backups: 3, findings: 0 }] })

    const target = await world.createMachine('target', to)
    expect(await restore(target, place)).toMatchObject({
      code: 0,
      complained: '',
      json: [{ lost: 0, secret: 'written' }],
    })
    expect(await readAllRows(target)).toEqual(await readAllRows(source))
    expect(await findFaults(target)).toEqual(clean)

    await using restored = await startMachine(target)
    expect(await findWrong(restored, stored)).toEqual([])
    // The same API key, the same name, which the service can publish again, the same access keys of S3.
    const record = await restored.call(`/api/names/${name}/record`)
    expect([record.status, record.json]).toMatchObject([200, { value: `/ipfs/${stored[0]?.path}` }])
    const again = await restored.call(`/api/names/${name}/records`, {
      method: 'POST',
      headers: { ...bearer(user.key).headers, 'content-type': 'application/json' },
      body: JSON.stringify({ value: stored.at(-1)?.path }),
    })
    expect([again.status, again.body]).toEqual([200, expect.any(String)])
    using client = { s3: openS3(restored, keys), [Symbol.dispose]: () => client.s3.destroy() }
    const read = async (Key: string) =>
      Buffer.from(
        (await (await client.s3.send(new GetObjectCommand({ Bucket: 'drill', Key }))).Body?.transformToByteArray()) ??
          [],
      )
    expect(await read('one')).toEqual(object)
    // An upload in parts that the backup found unfinished goes on.
    const Parts = [{ PartNumber: 1, ETag: part }]
    await client.s3.send(
      new CompleteMultipartUploadCommand({
        Bucket: 'drill',
        Key: 'two',
        UploadId: uploadId,
        MultipartUpload: { Parts },
      }),
    )
    expect(await read('two')).toEqual(object)
    const { json } = await administer(target, 'accounts', 'usage', user.address, '--json')
    expect(json[0]).toMatchObject({ payments: 1, apiKeys: 1, names: 1 })
    const audited = await administer(target, 'audit', '--json')
    expect(audited.json.map(({ action }) => action)).toEqual(['restore', 'backup', 'backup'])
  },
  drillTimeoutMs,
)

describe('one service', () => {
  let source: Machine
  let place: string
  let user: Awaited<ReturnType<typeof signUp>>
  let stored: StoredContent[]
  /** The pack of each upload, as its path below the objects of a store. */
  let packs: string[]

  const fill = async (kind: MachineKind, uploads = 3) => {
    source = await world.createMachine('source', kind)
    place = world.placeOf('backups', 'folder')
    stored = []
    await using storage = await startMachine(source)
    user = await signUp(storage)
    for (let at = 0; at < uploads; at++)
      stored.push(...(await upload(storage, user.key, { [`${at}`]: randomBytes(200_000) })))
    const rows = await storage.context.db.read.selectFrom('pack').select('object_key').orderBy('id').execute()
    packs = rows.map(({ object_key }) => object_key)
  }
  const expectRestored = async (name: string, from = place) => {
    const target = await world.createMachine(name, 'sqlite and files')
    expect(await restore(target, from)).toMatchObject({ code: 0, complained: '' })
    expect(await findFaults(target)).toEqual(clean)
    await using storage = await startMachine(target)
    expect(await findWrong(storage, stored)).toEqual([])
  }
  const listFiles = async (folder: string) =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))

  /** Starts a command, waits until a request for a pack gets no answer, and kills the process. */
  const killDuring = async (machine: Machine, method: string, ...args: string[]) => {
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

  test(
    'a backup to a folder that was killed is no backup, and the next one uses what it copied',
    async () => {
      await fill('postgres and s3', 8)
      await killDuring(source, 'GET', 'backup', place)
      expect((await administer(source, 'backup', 'list', place)).lines).toEqual([])
      const target = await world.createMachine('none', 'sqlite and files')
      expect(JSON.parse((await restore(target, place)).complained).code).toBe('NOT_FOUND')
      const next = await administer(source, 'backup', place, '--json')
      expect([next.code, next.complained]).toEqual([0, ''])
      // No file of the killed one is left.
      const files = await listFiles(place)
      expect(files.filter((path) => path.startsWith('objects/backups/'))).toHaveLength(4)
      expect(files.filter((path) => /^(tmp|unconfirmed|replicas)\//.test(path))).toEqual([])
      await expectRestored('target')
    },
    drillTimeoutMs,
  )

  test(
    'a copy that a killed backup finished and did not confirm is used, and no note of it is left',
    async () => {
      await fill('sqlite and files', 1)
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      {
        await using storage = await startMachine(source)
        stored.push(...(await upload(storage, user.key, { more: randomBytes(1000) })))
      }
      const pack = (await listFiles(join(source.home, 'packs', 'objects'))).find(
        (key) => key.endsWith('.car') && !packs.includes(key),
      )
      if (pack === undefined) throw new Error('the second upload has no pack')
      const killed = await openFileStore(place, { replica: 'killed' })
      const writer = await killed.create(pack)
      await writer.append([await readFile(join(source.home, 'packs', 'objects', pack))])
      await writer.finish()
      // Closing leaves the note and the heartbeat, as a kill does.
      await killed.close()
      const next = await administer(source, 'backup', place, '--json')
      expect([next.code, next.complained]).toEqual([0, ''])
      expect(readCounts(next)).toMatchObject({ count: 2, copied: 0 })
      const files = await listFiles(place)
      expect(files.filter((path) => /^(tmp|unconfirmed|replicas)\//.test(path))).toEqual([])
      await expectRestored('target')
    },
    drillTimeoutMs,
  )

  test(
    'a backup to S3 that was killed continues three minutes later',
    async () => {
      await fill('sqlite and files', 8)
      place = world.placeOf('backups', 's3')
      await killDuring(source, 'PUT', 'backup', place)
      const refused = await administer(source, 'backup', place, '--json')
      expect([refused.code, JSON.parse(refused.complained).code]).toEqual([78, 'CONFLICT'])
      world.s3.server.age('backups/replicas/', 200)
      const next = await administer(source, 'backup', place, '--json')
      expect([next.code, next.complained]).toEqual([0, ''])
      expect(next.json[0]).toMatchObject({ objects: { count: 8 } })
      await expectRestored('target')
    },
    drillTimeoutMs,
  )

  test.each(['sqlite and files', 'postgres and files', 'postgres and s3'] as const)(
    'a restore to %s that was killed starts no service, and the same command completes it',
    async (kind) => {
      await fill('sqlite and files', 8)
      place = world.placeOf('backups', 's3')
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      const target = await world.createMachine('target', kind)
      await killDuring(target, 'GET', 'restore', place, '--identity', world.identity)
      // A restore into the same place of other packs does not mix with it.
      const resumed = await restore(target, place)
      expect([resumed.code, resumed.complained]).toEqual([0, ''])
      expect(resumed.json.at(-1)).toMatchObject({ kind: 'restored', lost: 0 })
      expect(await readAllRows(target)).toEqual(await readAllRows(source))
      await using storage = await startMachine(target)
      expect(await findWrong(storage, stored)).toEqual([])
    },
    drillTimeoutMs,
  )

  test('an interrupted backup leaves no file of its own, and no hold', async () => {
    await fill('sqlite and files')
    const abort = new AbortController()
    const complaints: string[] = []
    const code = await runCommand(['backup', place], {
      environment: source.environment,
      write: () => undefined,
      complain: (line) => complaints.push(line),
      signal: abort.signal,
      showProgress: (text) => {
        if (text.includes('objects')) abort.abort(interrupted())
      },
    })
    expect([code, complaints]).toEqual([1, [expect.stringContaining('Interrupted')]])
    const files = await listFiles(place)
    expect(files.filter((path) => path.startsWith('objects/backups/'))).toEqual([])
    expect(files.filter((path) => /^(tmp|unconfirmed|replicas)\//.test(path))).toEqual([])
    await using storage = await startMachine(source)
    expect(
      await storage.context.db.read.selectFrom('lease').select('name').where('name', 'like', 'backup:%').execute(),
    ).toEqual([])
  })

  test(
    'verify finds one changed bit anywhere; restore refuses it, or restores the rest on demand',
    async () => {
      await fill('sqlite and files')
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      const id = (await administer(source, 'backup', 'list', place, '--json')).json[0]?.['id']
      const flip = async (key: string) => {
        const path = join(place, 'objects', key)
        const bytes = await readFile(path)
        const middle = Math.floor(bytes.length / 2)
        bytes[middle] = (bytes[middle] ?? 0) ^ 1
        await writeFile(path, bytes)
      }
      for (const [at, key] of [packs[1] ?? '', `backups/${id}/database.age`, `backups/${id}/secrets.age`].entries()) {
        await flip(key)
        const found = await administer(source, 'backup', 'verify', place, '--json')
        expect(found).toMatchObject({
          code: 1,
          json: [
            { kind: 'damaged', object: key },
            { kind: 'summary', findings: 1 },
          ],
        })
        const target = await world.createMachine(`damaged-${at}`, 'sqlite and files')
        const refused = await restore(target, place)
        expect([refused.code, JSON.parse(refused.complained).code]).toEqual([1, 'BACKUP_DAMAGED'])
        await flip(key)
      }
      await flip(packs[1] ?? '')
      const target = await world.createMachine('rest', 'sqlite and files')
      expect(await restore(target, place, '--allow-damage')).toMatchObject({
        code: 1,
        json: [
          { kind: 'lost', object: packs[1], reason: 'damaged' },
          { kind: 'restored', lost: 1 },
        ],
      })
      await using storage = await startMachine(target)
      expect(await findWrong(storage, stored)).toEqual([`${stored[1]?.path} 500`])
    },
    drillTimeoutMs,
  )

  test(
    'an upload in progress continues after a restore; without one of its packs, it is sent again',
    async () => {
      const bytes = randomBytes(2 * resumableSegmentBytes)
      const cut = resumableSegmentBytes + 1000
      source = await world.createMachine('source', 'sqlite and files')
      place = world.placeOf('backups', 'folder')
      let [path, key] = ['', '']
      const tus = (
        storage: TestStorage,
        at: string,
        options: RequestInit & { headers?: Record<string, string> } = {},
      ) =>
        storage.call(at, {
          ...options,
          headers: {
            ...bearer(key).headers,
            'tus-resumable': '1.0.0',
            'content-type': tusBodyType,
            ...options.headers,
          },
        })
      {
        await using storage = await startMachine(source)
        key = (await signUp(storage)).key
        const headers = { 'upload-length': String(bytes.length) }
        const created = await tus(storage, '/api/uploads', { method: 'POST', headers })
        path = `/api/${created.headers.get('location')}`
        const sent = { 'upload-offset': '0' }
        await tus(storage, path, { method: 'PATCH', headers: sent, body: bytes.subarray(0, cut) })
      }
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      const target = await world.createMachine('target', 'sqlite and files')
      expect(await restore(target, place)).toMatchObject({ code: 0, complained: '' })
      {
        await using storage = await startMachine(target)
        const headers = { 'upload-offset': String(cut) }
        expect((await tus(storage, path, { method: 'PATCH', headers, body: bytes.subarray(cut) })).status).toBe(204)
        const { result } = (await tus(storage, path)).json as UploadInfo
        expect(await findWrong(storage, [{ path: result?.[0]?.Hash ?? '', bytes }])).toEqual([])
      }
      expect(await findFaults(target)).toEqual(clean)
      const [pack = ''] = await listFiles(join(place, 'objects', 'packs'))
      await rm(join(place, 'objects', 'packs', pack))
      const rest = await world.createMachine('rest', 'sqlite and files')
      expect(await restore(rest, place, '--allow-damage')).toMatchObject({ code: 1 })
      await using storage = await startMachine(rest)
      expect((await tus(storage, path)).status).toBe(404)
    },
    drillTimeoutMs,
  )

  test('a pack that is missing or damaged in the store is reported, and the rest is backed up', async () => {
    await fill('sqlite and files')
    const pathOf = (key: string | undefined) => join(source.home, 'packs', 'objects', key ?? '')
    await rm(pathOf(packs[0]))
    const bytes = await readFile(pathOf(packs[1]))
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    await writeFile(pathOf(packs[1]), bytes)
    const backup = await administer(source, 'backup', place, '--json')
    expect(backup).toMatchObject({ code: 1, json: [{ objects: { count: 2, missing: 1, damaged: 1 } }, {}, {}] })
    const target = await world.createMachine('target', 'sqlite and files')
    expect(await restore(target, place)).toMatchObject({
      code: 1,
      json: [{ kind: 'lost', reason: 'missing' }, { lost: 1 }],
    })
    await using storage = await startMachine(target)
    expect(await findWrong(storage, stored)).toEqual([`${stored[0]?.path} 500`, `${stored[1]?.path} 500`])
  })

  test(
    'a wrong key, another instance, a newer backup and a home in use are refused, and nothing is written',
    async () => {
      await fill('sqlite and files', 1)
      const codeOf = ({ complained }: { complained: string }) => JSON.parse(complained).code
      const { CAIRN_BACKUP_RECIPIENTS: recipients, ...unset } = source.environment
      expect(codeOf(await administer({ ...source, environment: unset }, 'backup', place, '--json'))).toBe(
        'INVALID_CONFIGURATION',
      )
      const dry = await administer(source, 'backup', place, '--dry-run', '--json')
      expect(dry).toMatchObject({ code: 0, json: [{ kind: 'plan', objects: 1, copied: 1 }] })
      await expect(stat(place)).rejects.toThrow('ENOENT')
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      const before = await listFiles(place)

      const other = await world.createMachine('other', 'sqlite and files')
      await (await startMachine(other))[Symbol.asyncDispose]()
      expect(codeOf(await administer(other, 'backup', place, '--json'))).toBe('BACKUP_OF_ANOTHER')
      expect(codeOf(await restore(other, place))).toBe('INVALID_CONFIGURATION')
      await rm(join(other.home, 'storage.key'))
      expect(codeOf(await restore(other, place))).toBe('CONFLICT')
      const homes = await readdir(other.home)
      expect(homes).not.toContain('storage.key')

      const wrong = join(world.root, 'wrong.txt')
      await administer(source, 'backup', 'key', wrong)
      expect((await stat(wrong)).mode & 0o777).toBe(0o600)
      expect((await administer(source, 'backup', 'key', wrong)).code).toBe(2)
      const target = await world.createMachine('target', 'sqlite and files')
      const refused = await administer(target, 'restore', place, '--identity', wrong, '--json')
      expect([refused.code, codeOf(refused)]).toEqual([78, 'BACKUP_KEY'])
      expect(await restore(target, place, '--dry-run')).toMatchObject({
        code: 0,
        json: [{ isDryRun: true, copied: 0 }],
      })
      await expect(stat(target.home)).rejects.toThrow('ENOENT')

      const [manifest = ''] = before.filter((path) => path.endsWith('manifest.json'))
      const text = await readFile(join(place, manifest), 'utf8')
      await writeFile(join(place, manifest), text.replace('"version": 1', '"version": 2'))
      expect(codeOf(await restore(target, place))).toBe('BACKUP_NEWER')
      await writeFile(join(place, manifest), text.replace('"0014_create-s3"', '"9999_of-the-future"'))
      expect(codeOf(await restore(target, place))).toBe('BACKUP_NEWER')
      await writeFile(join(place, manifest), text)
      expect(await listFiles(place)).toEqual(before)
      expect(recipients).toMatch(/^age1/)
      // The manifest names no secret and no file.
      expect(text).not.toMatch(/AGE-SECRET|storageSecret/)
    },
    drillTimeoutMs,
  )

  test(
    'prune keeps what the remaining backups list, and removes nothing when a manifest cannot be read',
    async () => {
      await fill('sqlite and files')
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      {
        // The second upload is deleted, and its pack is removed from the store.
        await using storage = await startMachine(source)
        const { context } = storage
        const answer = await storage.call(`/api/user/delete_file?cid=${stored[1]?.path}`, {
          method: 'DELETE',
          ...bearer(user.key),
        })
        expect([answer.status, answer.body]).toEqual([200, expect.any(String)])
        const later = { now: () => Date.now() + 400 * 86_400_000, sleep: async () => undefined }
        expect(await removeUnreferencedPacks({ ...context, clock: later })).toBe(1)
      }
      // A file that no backup lists is not removed.
      const foreign = join(place, 'objects', 'packs', 'notes.txt')
      await writeFile(foreign, 'of the operator')
      expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
      const prune = (options: string[] = []) => administer(source, 'backup', 'prune', place, '--json', ...options)
      expect((await prune()).code).toBe(2)
      const before = await listFiles(place)
      const [manifest = ''] = before.filter((path) => path.endsWith('manifest.json')).toSorted()
      const text = await readFile(join(place, manifest), 'utf8')
      await writeFile(join(place, manifest), text.slice(1))
      expect((await prune(['--keep', '1'])).code).toBe(1)
      await writeFile(join(place, manifest), text)
      expect(await prune(['--keep', '1', '--dry-run'])).toMatchObject({
        code: 0,
        json: [{ objects: 1, isDryRun: true }],
      })
      expect(await listFiles(place)).toEqual(before)
      expect(await prune(['--keep', '1'])).toMatchObject({ code: 0, json: [{ objects: 1, kept: 1 }] })
      const after = await listFiles(place)
      expect(after).not.toContain(`objects/${packs[1]}`)
      expect(after).toEqual(
        expect.arrayContaining([`objects/${packs[0]}`, `objects/${packs[2]}`, 'objects/packs/notes.txt']),
      )
      expect(after.filter((path) => path.startsWith('objects/backups/'))).toHaveLength(4)
      stored.splice(1, 1)
      await expectRestored('target')
    },
    drillTimeoutMs,
  )

  test.each(['sqlite and files', 'postgres and files'] as const)(
    'no pack or doomed object is removed while a backup runs on %s',
    async (kind) => {
      await fill(kind, 1)
      await using store = await openStore(readConfig(source.environment), 'change')
      const { db, objects } = store
      await db.write(async (trx) => {
        await trx.deleteFrom('upload_pack').execute()
        await trx.updateTable('pack').set({ unreferenced_at: 0 }).execute()
      })
      const writer = await objects.create('parts/one')
      await writer.append([Buffer.from('part')])
      await writer.finish()
      await objects.confirm('parts/one')
      await db.write((trx) => doomObjects(trx, ['parts/one'], 0))
      {
        await using _hold = await holdRemovals({ db, clock: systemClock }, 'test')
        expect(await removeUnreferencedPacks({ ...store, clock: systemClock })).toBe(0)
        expect(await removeAllDoomed(store)).toBe(0)
        expect([await objects.size('parts/one'), await objects.size(packs[0] ?? '')]).toEqual([4, expect.any(Number)])
      }
      expect(await removeUnreferencedPacks({ ...store, clock: systemClock })).toBe(1)
      expect(await removeAllDoomed(store)).toBe(1)
      expect([await objects.size('parts/one'), await objects.size(packs[0] ?? '')]).toEqual([undefined, undefined])
    },
  )
})
