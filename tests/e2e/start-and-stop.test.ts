// `npm start` as a process: killed, restarted, stopped with work in progress.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { freeOffset } from '../free-offset.ts'
import { readProfile, startNetworkProgram, stopProgram } from '../network-program.ts'
import { descendantsOf, isRunning } from '../process-tree.ts'

let home = ''
let offset = 0
const started: ChildProcess[] = []

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cairn-start-'))
  offset = await freeOffset()
})
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(home, { recursive: true, force: true })
})

const start = () => startNetworkProgram({ home, offset }, (child) => started.push(child))
const profile = () => readProfile(home)

test.each([
  ['--help', 0, 'Usage: npm start'],
  ['--port', 2, 'npm start takes no argument, but "--port" was given.'],
])('%s starts nothing and explains the command', async (argument, exitCode, text) => {
  const { child, output, ready } = await startNetworkProgram({ home, offset }, (one) => started.push(one), [argument])
  expect([ready, child.exitCode, existsSync(join(home, 'network.json'))]).toEqual([false, exitCode, false])
  expect(output()).toContain(text)
})

async function isOpen(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  )
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops everything with 0 and leaves no port and no profile',
  async (signal) => {
    const { child, output, ready } = await start()
    expect(ready, output()).toBe(true)
    const { api, gateway } = profile()
    expect(api).toBe(`http://127.0.0.1:${8080 + offset}`)
    expect(output()).toContain('npm run cairn -- upload README.md')
    expect(output()).not.toContain(profile().wallet?.privateKey ?? 'no wallet')
    expect(await stopProgram(child, signal)).toBe(0)
    expect([await isOpen(api), await isOpen(gateway)]).toEqual([false, false])
    expect(existsSync(join(home, 'network.json'))).toBe(false)
  },
)

test('rejects a second start, and starts again with its data after being killed', async () => {
  const first = await start()
  const { apiKey } = await createTestKey({ profile: profile() })
  const second = await start()
  expect(second.ready).toBe(false)
  expect(second.child.exitCode).toBe(1)
  expect(second.output()).toContain(`process ${first.child.pid}`)

  const killed = once(first.child, 'exit')
  first.child.kill('SIGKILL')
  await killed
  const again = await start()
  expect(again.ready, again.output()).toBe(true)
  const answer = await fetch(`${profile().api}/api/user/user_data_usage`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(answer.status).toBe(200)
})

test('reports a port in use, with the setting that changes it', async () => {
  const server = createServer().listen(8081 + offset, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { child, output, ready } = await start()
    expect([ready, child.exitCode]).toEqual([false, 1])
    expect(output()).toContain(`port ${8081 + offset} (gateway)`)
    expect(output()).toContain('CAIRN_PORT_OFFSET')
  } finally {
    server.close()
  }
})

test('stops on request: accepts no new upload, finishes the current one, and ends with 0', async () => {
  const { child } = await start()
  const { api } = profile()
  const { apiKey } = await createTestKey({ profile: profile() })
  const upload = request(`${api}/api/v0/add`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'multipart/form-data; boundary=b',
      // The service reports when it has received the header; from then on the upload is in progress.
      expect: '100-continue',
    },
  })
  const answered = once(upload, 'response')
  upload.flushHeaders()
  await once(upload, 'continue')
  upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nfirst half, ')
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  while (await isOpen(api));
  upload.end('second half\r\n--b--\r\n')
  const [answer] = await answered
  let body = ''
  for await (const chunk of answer.setEncoding('utf8')) body += chunk
  expect(answer.statusCode, body).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ Name: 'a.txt', Hash: expect.stringMatching(/^bafkrei/) })
  expect((await exit)[0]).toBe(0)
})

test('cuts an endless upload at the limit', async () => {
  const { child } = await start()
  const { api } = profile()
  const { apiKey } = await createTestKey({ profile: profile() })
  const upload = request(`${api}/api/v0/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=b' },
  })
  const failed = once(upload, 'error')
  upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nand so on')
  await fetch(`${api}/healthz`)
  expect(await stopProgram(child, 'SIGTERM')).toBe(0)
  expect(await failed).toBeTruthy()
})

test('reports parts that hang, and nothing outlives Ctrl-C', async () => {
  const { child, output, ready } = await start()
  expect(ready, output()).toBe(true)
  const parts = descendantsOf(child.pid ?? 0)
  const find = (program: RegExp) => parts.find(({ command }) => program.test(command))?.pid ?? 0
  const [chain, keyNode, provider] = [find(/^\S*anvil /), find(/\/keynode\.js/), find(/\/provider\.js/)]
  expect([chain, keyNode, provider]).not.toContain(0)
  onTestFinished(() => {
    for (const { pid } of parts) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  const until = (line: RegExp) => expect.poll(output, { timeout: 90_000 }).toMatch(line)
  for (const pid of [chain, keyNode, provider]) process.kill(pid, 'SIGSTOP')
  await until(
    /^The local chain does not respond at http:\S+ \(no response within 5 s\)\. .* press Ctrl-C, then run npm start\.$/m,
  )
  await until(/^Key node \d does not respond/m)
  await until(/^Storage provider \d does not respond/m)
  process.kill(provider, 'SIGCONT')
  await until(/^Storage provider \d is available again after \d+ s\.$/m)

  expect(await stopProgram(child, 'SIGINT')).toBe(0)
  expect(parts.filter(({ pid }) => isRunning(pid))).toEqual([])
  expect(await isOpen(`http://127.0.0.1:${8545 + offset}`)).toBe(false)
  expect(await isOpen(`http://127.0.0.1:${8899 + offset}`)).toBe(false)
}, 300_000)

test('Ctrl-C during the start ends it, and leaves no process', async () => {
  const starting = start()
  const [child] = started
  expect(child).toBeDefined()
  const parts = () => descendantsOf(child?.pid ?? 0)
  await expect.poll(() => parts().length, { interval: 20 }).toBeGreaterThan(3)
  const before = parts()
  child?.kill('SIGINT')
  const { output, ready } = await starting
  expect([ready, child?.exitCode], output()).toEqual([false, 130])
  expect(before.filter(({ pid }) => isRunning(pid))).toEqual([])
  expect(existsSync(join(home, 'network.json'))).toBe(false)
})
