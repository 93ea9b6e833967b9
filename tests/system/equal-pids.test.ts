// Replicas that do not share process ids, like containers: each is process 1 of its own namespace. Needs `unshare`
// (util-linux) with the right to create namespaces, and PostgreSQL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { programEnvironment } from '../program-environment.ts'
import { unshare } from '../unshare.ts'

const program = join(import.meta.dirname, 'run-replica.ts')

let postgres: PostgresFixture
let root = ''
const running: ChildProcess[] = []

beforeAll(async () => {
  if (spawnSync(unshare[0] ?? '', [...unshare.slice(1), 'true']).status !== 0)
    throw new Error('These tests need `unshare` with the right to make PID namespaces. On Debian: util-linux, as root')
  postgres = await startPostgres()
  root = mkdtempSync(join(tmpdir(), 'cairn-equal-pids-'))
})
afterAll(async () => {
  for (const child of running) {
    const gone = once(child, 'exit')
    if (child.kill('SIGKILL')) await gone
  }
  await postgres?.stop()
  rmSync(root, { recursive: true, force: true })
})

/** Starts a replica as process 1 of its own namespace; resolves when it listens. */
async function startReplica(name: string, url: string): Promise<{ pid: number; api: string; gateway: string }> {
  const [command = '', ...args] = [...unshare, process.execPath, '--conditions=@cairn/source', program]
  const child = spawn(command, args, {
    env: {
      ...programEnvironment,
      CAIRN_HOME: join(root, name),
      CAIRN_PACK_FOLDER: join(root, 'packs'),
      CAIRN_DATABASE_URL: url,
      CAIRN_STORAGE_SECRET: '11'.repeat(32),
      CAIRN_PORT: '0',
      CAIRN_GATEWAY_PORT: '0',
      CAIRN_RATE_FACTOR: '0',
      CAIRN_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const gone = once(child, 'exit').then(() => {
    throw new Error(`${name} ended before it listened`)
  })
  gone.catch(() => undefined)
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), gone])
  return JSON.parse(String(line))
}

test('a starting replica leaves the upload that another one is receiving alone, though both are process 1', async () => {
  const url = await postgres.createDatabase()
  const first = await startReplica('first', url)
  const { apiKey } = await createTestKey({ profile: first })
  const bytes = Buffer.alloc(12_000_000).map((_, at) => Math.imul(at, 2_654_435_761) >>> 24)
  const upload = request(`${first.api}/api/v0/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=b' },
  })
  const answered = once(upload, 'response')
  upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')
  upload.write(bytes.subarray(0, 9_000_000))
  await expect.poll(() => readdirSync(join(root, 'packs', 'tmp'))).not.toEqual([])

  const second = await startReplica('second', url)
  expect([first.pid, second.pid]).toEqual([1, 1])
  upload.end(Buffer.concat([bytes.subarray(9_000_000), Buffer.from('\r\n--b--\r\n')]))
  const [answer] = await answered
  let body = ''
  for await (const chunk of answer.setEncoding('utf8')) body += chunk
  expect([answer.statusCode, body]).toEqual([200, expect.stringContaining('"Name":"a.bin"')])
  const read = await fetch(`${second.gateway}/ipfs/${JSON.parse(body).Hash}`)
  const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
  expect(hash(new Uint8Array(await read.arrayBuffer()))).toBe(hash(bytes))
})
