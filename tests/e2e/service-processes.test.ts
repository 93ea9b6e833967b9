// Each service as the process that an operator starts: the permissions of its files, and how a rejected start ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { freeOffset } from '../free-offset.ts'
import { programEnvironment } from '../program-environment.ts'

const root = resolve(import.meta.dirname, '../..')
const secret = 'ab'.repeat(32)
let home = ''
const started: ChildProcess[] = []
let umask = 0

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-process-'))
  // The umask of most systems.
  umask = process.umask(0o022)
})
afterEach(async () => {
  process.umask(umask)
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  rmSync(home, { recursive: true, force: true })
})

type Started = { child: ChildProcess; ready: { url: string } | undefined; code: number | null; printed: string }

/** Starts a program and waits until it is ready or has ended. */
async function start(program: string, environment: Record<string, string>): Promise<Started> {
  const child = spawn(
    process.execPath,
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', join(root, program)],
    { env: { ...programEnvironment, ...environment }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
  )
  started.push(child)
  let printed = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
  })
  const ended = once(child, 'close').then(() => undefined)
  const [ready] = (await Promise.race([once(child, 'message'), ended])) ?? []
  return { child, ready, code: child.exitCode, printed }
}

const services: Record<string, { program: string; environment(folder: string): Record<string, string> }> = {
  'the storage service': {
    program: 'services/storage/src/main.ts',
    environment: (folder) => ({ CAIRN_HOME: folder, CAIRN_PORT: '0', CAIRN_GATEWAY_PORT: '0' }),
  },
  'a key node': {
    program: 'services/keynode/src/main.ts',
    environment: (folder) => ({
      CAIRN_KEYNODE_NUMBER: '1',
      CAIRN_KEYNODE_HOME: folder,
      CAIRN_KEYNODE_PORT: '0',
      CAIRN_KEYNODE_DOMAINS: 'keys.test',
      CAIRN_KEYNODE_SECRET: secret,
    }),
  },
  'a storage provider': {
    program: 'services/provider/src/main.ts',
    environment: (folder) => ({
      CAIRN_PROVIDER_HOME: folder,
      CAIRN_PROVIDER_PORT: '0',
      CAIRN_PROVIDER_SECRET: secret,
      CAIRN_PROVIDER_KEY: secret,
      CAIRN_PROVIDER_SOURCES: 'http://127.0.0.1:1',
    }),
  },
}

/** Files and folders that users other than the owner can access. */
function findOpen(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
}

describe.each(Object.entries(services))('%s', (_name, { program, environment }) => {
  test('creates files that only its owner can read, whatever its umask', async () => {
    // A folder created by the operator, as open as the umask allows.
    const { ready, printed } = await start(program, environment(home))
    expect(ready, printed).toBeDefined()
    expect(readdirSync(home).length).toBeGreaterThan(1)
    expect(findOpen(home)).toEqual([])
  })

  test('a second start in one folder fails with the running process, and changes nothing', async () => {
    const first = await start(program, environment(home))
    expect(first.ready, first.printed).toBeDefined()
    const second = await start(program, environment(home))
    expect([second.ready, second.code]).toEqual([undefined, 78])
    expect(second.printed).toContain(`is already running on ${home} (process ${first.child.pid})`)
    expect(second.printed).not.toMatch(/\n\s+at /)
    expect((await fetch(`${first.ready?.url}/readyz`)).status).toBe(200)
    const gone = once(first.child, 'exit')
    first.child.kill('SIGKILL')
    await gone
    expect((await start(program, environment(home))).ready).toBeDefined()
  })

  test('reports a port in use and the setting that changes it, without a stack', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = String(typeof address === 'object' ? address?.port : 0)
    const settings = environment(home)
    const setting = Object.keys(settings).find((each) => each.endsWith('_PORT')) ?? ''
    try {
      const { code, printed } = await start(program, { ...settings, [setting]: port })
      expect(code).toBe(78)
      expect(printed).toContain(`Port ${port} on 127.0.0.1 is in use`)
      expect(printed).toContain(setting)
      expect(printed).not.toMatch(/\n\s+at /)
    } finally {
      server.close()
    }
  })

  test('reports a wrong setting, without a stack', async () => {
    const { code, printed } = await start(program, { ...environment(home), CAIRN_RATE_FACTOR: 'fast' })
    expect([code, printed.split('\n').length]).toEqual([78, 3])
    expect(printed).toContain('CAIRN_RATE_FACTOR must be a whole number')
  })

  test('reports that its folder is a file, without a stack', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    const { code, printed } = await start(program, environment(file))
    expect([code, printed.split('\n').length]).toEqual([78, 3])
    expect(printed).toContain(`${file} is not a folder (EEXIST)`)
  })

  test('reports that its folder cannot be created, without a stack', async () => {
    const { code, printed } = await start(program, environment('/proc/cairn'))
    expect([code, printed.split('\n').length]).toEqual([78, 3])
    expect(printed).toContain('/proc/cairn cannot be created (ENOENT)')
  })

  test('reports a damaged database and leaves it unchanged, without a stack', async () => {
    const damaged = join(home, 'damaged')
    const { child } = await start(program, environment(damaged))
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    const database = join(damaged, readdirSync(damaged).find((name) => name.endsWith('.sqlite')) ?? '')
    for (const end of ['-wal', '-shm']) rmSync(`${database}${end}`, { force: true })
    writeFileSync(database, 'no database '.repeat(100))
    const { code, printed } = await start(program, environment(damaged))
    expect([code, printed.split('\n').length]).toEqual([78, 3])
    expect(printed).toContain(`${database} is damaged: file is not a database`)
    expect(readFileSync(database, 'utf8')).toBe('no database '.repeat(100))
  })
})

test('the key router reports a port in use', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = String(typeof address === 'object' ? address?.port : 0)
  try {
    const nodes = [1, 2, 3, 4, 5].map((node) => `http://127.0.0.1:${node}`).join(',')
    const { code, printed } = await start('services/keynode/src/router/main.ts', {
      CAIRN_KEYROUTER_PORT: port,
      CAIRN_KEYROUTER_NODES: nodes,
    })
    expect([code, printed]).toEqual([78, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`)])
    expect(printed).toContain('CAIRN_KEYROUTER_PORT')
  } finally {
    server.close()
  }
})

test('a storage service whose database is removed is not ready and rejects an upload, and its next start removes nothing', async () => {
  const { program, environment } = services['the storage service'] ?? { program: '', environment: () => ({}) }
  const settings = { ...environment(home), CAIRN_RATE_FACTOR: '0' }
  const { ready, printed, child } = await start(program, settings)
  const api = ready?.url ?? ''
  expect(api, printed).not.toBe('')
  const { apiKey } = await createTestKey({ profile: { api } })
  const upload = async (text: string) => {
    const body = new FormData()
    body.append('file', new Blob([text]), 'a.txt')
    const answer = await fetch(`${api}/api/v0/add`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body,
    })
    return { status: answer.status, body: await answer.text() }
  }
  expect((await upload('before')).status).toBe(200)
  expect((await fetch(`${api}/readyz`)).status).toBe(200)
  for (const name of readdirSync(home)) if (name.startsWith('storage.sqlite')) rmSync(join(home, name))
  const readiness = await fetch(`${api}/readyz`)
  expect([readiness.status, await readiness.text()]).toEqual([503, expect.stringContaining('"database":"failed"')])
  expect(await upload('after')).toEqual({ status: 503, body: expect.stringContaining('UNAVAILABLE') })
  const packs = () => readdirSync(join(home, 'packs', 'objects'), { recursive: true }).toSorted()
  const stored = packs()
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  expect((await gone)[0]).toBe(0)
  const next = await start(program, settings)
  expect([next.ready, next.code]).toEqual([undefined, 78])
  expect(next.printed).toContain('npm run storage:recover -- --take-over')
  expect(next.printed).toContain('docs/operate/recover.md')
  expect(packs()).toEqual(stored)
})

test('the local network creates files that only its owner can read', async () => {
  const offset = await freeOffset()
  const child = spawn(
    process.execPath,
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', join(root, 'apps/local/src/bin.ts')],
    {
      env: { ...programEnvironment, CAIRN_HOME: home, CAIRN_PORT_OFFSET: String(offset) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  started.push(child)
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (output.includes('Press Ctrl-C to stop')) break
  }
  expect(JSON.parse(readFileSync(join(home, 'network.json'), 'utf8'))).toHaveProperty('api')
  expect(findOpen(home)).toEqual([])
})
