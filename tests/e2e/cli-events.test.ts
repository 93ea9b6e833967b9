// Events and webhooks through the real command line.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

let network: TestNetwork
let folder = ''
let apiKey = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-cli-events-'))
  writeFileSync(join(folder, 'hello.txt'), 'hello world')
  apiKey = (await createTestKey(network)).apiKey
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const cairn = (args: string[], started?: (child: ChildProcess) => void) =>
  runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, 'config'),
      CAIRN_API_KEY: apiKey,
    },
    started,
  })

test('watch prints each event on a line until it is interrupted', async () => {
  expect((await cairn(['upload', 'hello.txt'])).code).toBe(0)
  const watched = await cairn(['watch', '--after', '0', '--types', 'upload.stored', '--json'], (child) => {
    child.stdout?.once('data', () => child.kill('SIGINT'))
  })
  expect(JSON.parse(watched.out.split('\n')[0] ?? '')).toMatchObject({
    type: 'upload.stored',
    data: { name: 'hello.txt' },
  })
  expect(watched.code).toBe(130)
  const wrong = await cairn(['watch', '--types', 'upload.lost'])
  expect(wrong.code).toBe(2)
  expect(wrong.err).toContain('Unknown type of event: "upload.lost"')
})

test('webhook creates, lists, tests, replays, disables and removes', async () => {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    received.push(JSON.parse(body).type)
    response.end()
    server.emit('delivered')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const run = async (...args: string[]) => {
      const { code, out, err } = await cairn(['webhook', ...args, '--json'])
      expect(code, err).toBe(0)
      return JSON.parse(out)
    }
    const { id, secret } = await run('create', url, '--types', 'upload.stored')
    expect(secret).toMatch(/^whsec_/)
    expect(await run('list')).toMatchObject({ id, url, isEnabled: true })
    expect(await run('test', id)).toMatchObject({ isDelivered: true, status: 200 })
    const delivered = once(server, 'delivered')
    expect(await run('replay', id, '--after', '0')).toEqual({ queued: 1 })
    await delivered
    expect(received).toEqual(['webhook.test', 'upload.stored'])
    expect(await run('deliveries', id)).toMatchObject({ type: 'upload.stored' })
    expect(await run('disable', id)).toMatchObject({ isEnabled: false })
    expect(await run('enable', id)).toMatchObject({ isEnabled: true })
    expect(await run('remove', id)).toEqual({ removed: id })
    const missing = await cairn(['webhook', 'test', id])
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining('does not have this webhook')])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('an exported log that was changed, or is signed by another key, ends with the exit code of a failed verification', async () => {
  expect((await cairn(['upload', 'hello.txt'])).code).toBe(0)
  const exported = await cairn(['events', 'export', 'log.jsonl'])
  expect(exported.code, exported.err).toBe(0)
  const log = readFileSync(join(folder, 'log.jsonl'), 'utf8')
  const lines = log.trimEnd().split('\n')
  const other = 'did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd'
  // Of 64 signatures, one starts with the first of these.
  const otherStart = (start: string) => (start.endsWith('-') ? start.replace(/-$/, '_') : start.replace(/.$/, '-'))
  const changes = {
    same: [log, 0, ''],
    'a changed event': [log.replace('hello.txt', 'hullo.txt'), 7, 'DATA_DAMAGED'],
    'a missing line': [lines.toSpliced(1, 1).join('\n'), 7, 'DATA_DAMAGED'],
    'no seal': [lines.slice(0, -1).join('\n'), 7, 'DATA_DAMAGED'],
    'no log': ['hello', 7, 'DATA_DAMAGED'],
    'another signature': [log.replace(/"signature":"./, otherStart), 7, 'INVALID_SIGNATURE'],
  } as const
  for (const [what, [text, code, error]] of Object.entries(changes)) {
    writeFileSync(join(folder, 'changed.jsonl'), text)
    const verified = await cairn(['events', 'verify', 'changed.jsonl', '--json'])
    expect(verified.code, `${what}: ${verified.err}`).toBe(code)
    if (error !== '') expect(JSON.parse(verified.err)).toMatchObject({ error: { code: error } })
  }
  expect(await cairn(['events', 'verify', 'log.jsonl', '--signer', other])).toMatchObject({ code: 7 })
})
