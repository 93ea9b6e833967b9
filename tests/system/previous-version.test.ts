// The version before the newest migration, built from the history, beside and after the current one on one database:
// docs/operate/upgrade.md promises that an expansion of the schema leaves it working. Needs git and the history.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { tusBodyType, type UploadInfo } from '@cairn/protocol'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../services/storage/src/db/database.ts'
import { createTestKey } from '../fixtures.ts'
import { programEnvironment } from '../program-environment.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = 'services/storage/src/db/migrations'
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const namesAt = (commit: string): string[] => git('ls-tree', '--name-only', `${commit}:${folder}`).split('\n')

/** The newest commit with fewer migrations than the working tree, and the migrations that it lacks. */
function findPrevious(): { commit: string; added: typeof migrations } {
  const lacks = (commit: string) => {
    const names = namesAt(commit)
    return migrations.filter(({ name }) => !names.includes(`${name}.ts`))
  }
  const adding = git('log', '--diff-filter=A', '--format=%H', '-1', '--', folder)
  if (adding === '') throw new Error('This test needs the history of the repository: git fetch --unshallow')
  const commit = lacks('HEAD').length > 0 ? git('rev-parse', 'HEAD') : git('rev-parse', `${adding}^`)
  return { commit, added: lacks(commit) }
}

/** Writes the sources of a commit to a folder, with the third-party packages that are installed here. */
function checkOut(commit: string, target: string): void {
  execFileSync('bash', ['-c', 'git archive "$1" | tar -x -C "$2"', 'bash', commit, target], { cwd: root })
  const installed = join(root, 'node_modules')
  mkdirSync(join(target, 'node_modules/@cairn'), { recursive: true })
  for (const name of readdirSync(installed))
    if (name !== '@cairn') symlinkSync(join(installed, name), join(target, 'node_modules', name))
  for (const group of ['packages', 'services'])
    for (const name of readdirSync(join(root, group))) {
      const nested = join(group, name, 'node_modules')
      if (existsSync(join(root, nested)) && existsSync(join(target, group, name)))
        symlinkSync(join(root, nested), join(target, nested))
    }
  for (const name of readdirSync(join(installed, '@cairn'))) {
    const link = join('node_modules/@cairn', name)
    const own = resolve(target, dirname(link), readlinkSync(join(root, link)))
    if (existsSync(own)) symlinkSync(own, join(target, link))
  }
}

type Service = { api: string; gateway: string; stop(): Promise<void> }

let postgres: PostgresFixture
let place = ''
let previous: ReturnType<typeof findPrevious>
const running: ChildProcess[] = []

beforeAll(async () => {
  previous = findPrevious()
  place = mkdtempSync(join(tmpdir(), 'cairn-previous-'))
  mkdirSync(join(place, 'sources'))
  checkOut(previous.commit, join(place, 'sources'))
  postgres = await startPostgres()
})
afterEach(async () => {
  for (const child of running.splice(0)) await end(child)
})
afterAll(async () => {
  await postgres?.stop()
  rmSync(place, { recursive: true, force: true })
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Starts a version of the service; resolves when it listens, or with its exit code and output. */
async function start(
  version: 'previous' | 'present',
  environment: Record<string, string>,
): Promise<Service | { code: number | null; text: string }> {
  const sources = version === 'previous' ? join(place, 'sources') : root
  const program = join(sources, 'tests/system/run-replica.ts')
  const child = spawn(process.execPath, ['--conditions=@cairn/source', program], {
    cwd: sources,
    env: {
      ...programEnvironment,
      CAIRN_STORAGE_SECRET: '11'.repeat(32),
      CAIRN_PORT: '0',
      CAIRN_GATEWAY_PORT: '0',
      CAIRN_METRICS_PORT: '0',
      CAIRN_RATE_FACTOR: '0',
      CAIRN_LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const gone = once(child, 'exit').then(([code]) => ({ code: code as number | null, text }))
  const listening = once(createInterface(child.stdout), 'line').then(([line]): Service => {
    const { api, gateway } = JSON.parse(String(line))
    return { api, gateway, stop: () => end(child) }
  })
  return Promise.race([listening, gone])
}

async function mustStart(version: 'previous' | 'present', environment: Record<string, string>): Promise<Service> {
  const service = await start(version, environment)
  if ('code' in service) throw new Error(`the ${version} version exited with ${service.code}: ${service.text}`)
  return service
}

type File = { cid: string; id: string; text: string }

/** What users do: keys, uploads, listings, information, rename by a second upload, quota. */
async function use(service: Service, apiKey: string, text: string): Promise<File> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const call = async (path: string, options: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${service.api}${path}`, { headers, ...options })
    const body = await answer.text()
    expect(answer.status, `${path}: ${body}`).toBe(200)
    return JSON.parse(body)
  }
  const body = new FormData()
  body.append('file', new Blob([text]), `${text}.txt`)
  const { Hash: cid } = (await call('/api/v0/add', { method: 'POST', body })) as { Hash: string }
  const { fileList } = (await call('/api/user/files_uploaded')) as { fileList: { cid: string; id: string }[] }
  const id = fileList.find((file) => file.cid === cid)?.id
  expect(id).toBeDefined()
  await call(`/api/lighthouse/file_info?cid=${cid}`)
  await call('/api/user/user_data_usage')
  await call('/api/auth/api_keys')
  await createTestKey({ profile: service })
  return { cid, id: id ?? '', text }
}

async function expectReadable(service: Service, files: readonly File[]): Promise<void> {
  for (const { cid, text } of files) {
    const answer = await fetch(`${service.gateway}/ipfs/${cid}`)
    expect([answer.status, await answer.text()]).toEqual([200, text])
  }
}

const chunkBytes = 5 * 2 ** 20
const uploadBytes = 4 * chunkBytes

/** A resumable upload to which both versions send parts in turn. */
async function startUpload({ api }: Service, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}`, 'tus-resumable': '1.0.0' }
  const content = randomBytes(uploadBytes)
  const length = { 'upload-length': String(content.length) }
  const created = await fetch(`${api}/api/uploads`, { method: 'POST', headers: { ...headers, ...length } })
  const path = `/api/${created.headers.get('location')}`
  const inspect = async (service: Service) =>
    (await (await fetch(`${service.api}${path}`, { headers })).json()) as UploadInfo
  return {
    /** Sends bytes from the offset that this version knows. */
    async send(service: Service, bytes = chunkBytes): Promise<void> {
      const { offsetBytes: from } = await inspect(service)
      const answer = await fetch(`${service.api}${path}`, {
        method: 'PATCH',
        headers: { ...headers, 'upload-offset': String(from), 'content-type': tusBodyType },
        body: content.subarray(from, from + bytes),
      })
      expect(answer.status).toBe(204)
    },
    async expectStored(service: Service): Promise<void> {
      const { result } = await inspect(service)
      const answer = await fetch(`${service.gateway}/ipfs/${result?.[0]?.Hash}`)
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), content)).toBe(0)
    },
  }
}

const isExpansion = () => previous.added.every(({ change }) => change === 'expand')

test('replicas of the previous version work, and restart, while others run the present one', async () => {
  const environment = { CAIRN_DATABASE_URL: await postgres.createDatabase(), CAIRN_PACK_FOLDER: join(place, 'packs') }
  const oldHome = { ...environment, CAIRN_HOME: join(place, 'old') }
  let old = await mustStart('previous', oldHome)
  const { apiKey } = await createTestKey({ profile: old })
  const files = [await use(old, apiKey, 'before')]

  const present = await mustStart('present', { ...environment, CAIRN_HOME: join(place, 'present') })
  files.push(await use(old, apiKey, 'old beside'), await use(present, apiKey, 'present beside'))
  await expectReadable(old, files)
  await expectReadable(present, files)

  await old.stop()
  if (!isExpansion()) {
    expect(await start('previous', oldHome)).toMatchObject({ text: expect.stringContaining('migration') })
    return
  }
  old = await mustStart('previous', oldHome)
  files.push(await use(old, apiKey, 'old restarted'), await use(present, apiKey, 'present after'))
  await expectReadable(old, files)
  await expectReadable(present, files)
})

test('replicas of both versions continue a resumable upload, and either one stores it', async () => {
  const environment = { CAIRN_DATABASE_URL: await postgres.createDatabase(), CAIRN_PACK_FOLDER: join(place, 'parts') }
  const old = await mustStart('previous', { ...environment, CAIRN_HOME: join(place, 'old parts') })
  const present = await mustStart('present', { ...environment, CAIRN_HOME: join(place, 'present parts') })
  const { apiKey } = await createTestKey({ profile: old })
  for (const last of [old, present]) {
    for (const first of [old, present]) {
      const upload = await startUpload(first, apiKey)
      for (const service of [present, old, present]) await upload.send(service)
      // The part received by one version does not disturb the other.
      await upload.send(last, uploadBytes)
      await upload.expectStored(last)
      await upload.expectStored(last === old ? present : old)
    }
  }
})

test('a single service on SQLite returns to the previous version and back', async () => {
  const home = { CAIRN_HOME: join(place, 'alone') }
  const before = await mustStart('previous', home)
  const { apiKey } = await createTestKey({ profile: before })
  const files = [await use(before, apiKey, 'before')]
  await before.stop()
  for (const version of ['present', 'previous', 'present'] as const) {
    if (version === 'previous' && !isExpansion()) continue
    const service = await mustStart(version, home)
    files.push(await use(service, apiKey, `${version} ${files.length}`))
    await expectReadable(service, files)
    await service.stop()
  }
})
