// The folders that `npm run build` creates, outside the project: each starts with Node only, works, and stops on SIGTERM.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { loadNetwork } from '@cairn/sdk'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { buildService } from '../../scripts/service-bundles.ts'
import { createTestKey } from '../fixtures.ts'

const secret = 'ab'.repeat(32)
const nodes = [1, 2, 3, 4, 5].map((node) => `http://127.0.0.1:${node}`).join(',')

const services = {
  storage: { CAIRN_PORT: '0', CAIRN_GATEWAY_PORT: '0' },
  keynode: {
    CAIRN_KEYNODE_NUMBER: '1',
    CAIRN_KEYNODE_PORT: '0',
    CAIRN_KEYNODE_DOMAINS: 'keys.test',
    CAIRN_KEYNODE_SECRET: secret,
  },
  keyrouter: { CAIRN_KEYROUTER_PORT: '0', CAIRN_KEYROUTER_NODES: nodes },
  provider: {
    CAIRN_PROVIDER_PORT: '0',
    CAIRN_PROVIDER_SECRET: secret,
    CAIRN_PROVIDER_KEY: secret,
    CAIRN_PROVIDER_SOURCES: 'http://127.0.0.1:1',
  },
} as const
type ServiceName = keyof typeof services
const names = Object.keys(services) as ServiceName[]

let folder = ''
const started: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-bundles-'))
  await Promise.all(names.map((name) => buildService(name, join(folder, name))))
})
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts a bundle like a unit file: Node, the program, its settings, and nothing of this process. */
async function start(name: ServiceName): Promise<{ child: ChildProcess; url: string; output: () => string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `${name}.js`], {
    cwd: join(folder, name),
    env: { CAIRN_LOG_LEVEL: 'warn', CAIRN_METRICS_PORT: '0', ...services[name] },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(() => [])
  const [ready]: unknown[] = await Promise.race([once(child, 'message'), ended])
  if (typeof ready !== 'object' || ready === null || !('url' in ready) || typeof ready.url !== 'string')
    throw new Error(`${name} did not start: ${output}`)
  return { child, url: ready.url, output: () => output }
}

test.each(names)('%s starts from its bundle, is ready, and stops on SIGTERM with exit code 0', async (name) => {
  const { child, url, output } = await start(name)
  const ready = await fetch(`${url}/readyz`)
  expect([name, ready.status, await ready.text()]).toEqual([name, 200, expect.stringContaining('"status":"ready"')])
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await gone, output()).toEqual([0, null])
  expect(output()).toBe('')
})

test.each(names)('the bundle of %s keeps names without naming each closure when it is created', async (name) => {
  const files = (await readdir(join(folder, name))).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, name, file), 'utf8')))
  expect(texts.filter((text) => text.includes('__name'))).toEqual([])
  // Logs show the name of the class.
  expect(texts.filter((text) => text.includes('CairnError=class extends Error'))).toHaveLength(1)
})

test('the storage service stores and serves from its bundle, with its pages', async () => {
  const { url } = await start('storage')
  const { apiKey } = await createTestKey({ profile: { api: url } })
  const { gateway } = await loadNetwork(url)
  const store = async (bytes: Buffer<ArrayBuffer>): Promise<string> => {
    const body = new FormData()
    body.append('file', new Blob([bytes]), 'a.bin')
    const headers = { authorization: `Bearer ${apiKey}` }
    const { Hash } = await (await fetch(`${url}/api/v0/add`, { method: 'POST', headers, body })).json()
    return Hash
  }
  const bytes = randomBytes(3 * 1024 * 1024)
  const read = await fetch(`${gateway}/ipfs/${await store(bytes)}`)
  expect(Buffer.compare(Buffer.from(await read.arrayBuffer()), bytes)).toBe(0)
  const picture = await sharp(bytes.subarray(0, 300), { raw: { width: 10, height: 10, channels: 3 } })
    .png()
    .toBuffer()
  const small = await fetch(`${gateway}/ipfs/${await store(Buffer.from(picture))}?w=5`)
  expect(await sharp(await small.arrayBuffer()).metadata()).toMatchObject({ format: 'png', width: 5, height: 5 })
  expect(await (await fetch(`${url}/docs`)).text()).toContain('<html')
})

test.each([
  {
    file: 'storage/hash-thread.js',
    task: { id: 7, memory: new ArrayBuffer(64), ranges: [0, 32] },
    expected: { id: 7, memory: expect.any(ArrayBuffer), digests: expect.any(Uint8Array) },
  },
  {
    file: 'storage/piece-thread.js',
    task: { kind: 'bytes', bytes: new Uint8Array(128) },
    expected: { kind: 'taken' },
  },
  {
    file: 'storage/digest-thread.js',
    task: { kind: 'piece', body: 7, memory: new ArrayBuffer(64), length: 64 },
    expected: { body: 7, memory: expect.any(ArrayBuffer) },
  },
  {
    file: 'provider/hash-thread.js',
    task: { id: 7, hasher: 1, kind: 'hash', bytes: new Uint8Array(128) },
    expected: { id: 7 },
  },
])('the thread $file works from its bundle', async ({ file, task, expected }) => {
  const thread = new Worker(join(folder, file))
  try {
    const answered = once(thread, 'message')
    thread.postMessage(task)
    const [answer]: unknown[] = await answered
    expect(answer).toMatchObject(expected)
    expect(answer).not.toHaveProperty('failure')
  } finally {
    await thread.terminate()
  }
})

test('a bundle contains the packages with a library per platform, and nothing else of the tree', async () => {
  expect(await readdir(join(folder, 'storage', 'node_modules', '@chainsafe'))).toEqual(
    expect.arrayContaining(['as-sha256', 'hashtree']),
  )
  expect((await readdir(join(folder, 'storage', 'node_modules'))).sort()).toEqual([
    '@chainsafe',
    '@img',
    'detect-libc',
    'semver',
    'sharp',
  ])
  expect(await readdir(join(folder, 'keynode'))).not.toContain('node_modules')
})

test('a program exits with one sentence on an older Node, not with a stack', async () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' })"
  const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, 'storage.js']
  const child = spawn(process.execPath, args, { cwd: join(folder, 'storage'), stdio: ['ignore', 'ignore', 'pipe'] })
  started.push(child)
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await once(child, 'close')
  expect([child.exitCode, printed]).toEqual([
    78,
    'Cairn needs Node 24 or newer, this is Node 20.19.0\nInstall it, and start the service with it.\n',
  ])
})
