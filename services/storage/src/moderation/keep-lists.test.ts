// A list that becomes unreadable, or is replaced by something else, stays in effect.
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readListFiles } from './list-files.ts'
import { createSubscription } from './subscription.ts'

const rule = '/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const signal = new AbortController().signal
let folder: string
let problems: string[]
const failures = {
  failed: (_key: string, error: unknown) => void problems.push(String(error)),
  recovered: () => undefined,
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-lists-'))
  problems = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function serve(listener: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
const subscribe = (url: string) => createSubscription(url, { folder, everyMs: 0, failures })

test.each([
  ['an HTML page', '<!DOCTYPE html>\n<p>We are moving.\n'],
  ['an empty response', ''],
  ['a header of another version', 'version: 2\n---\n'],
])('%s does not replace a subscribed list or its copy', async (_what, page) => {
  let body = rule
  await using server = await serve((_request, response) => response.end(body))
  const list = subscribe(server.url)
  await list.update(signal)
  expect([(await list.read())?.text, problems]).toEqual([rule, []])
  body = page
  await list.update(signal)
  expect([(await list.read())?.text, problems.length]).toEqual([rule, 1])
  expect((await subscribe(server.url).read())?.text).toBe(rule)
  body = 'name: withdrawn\n---\n'
  await list.update(signal)
  expect((await list.read())?.text).toBe(body)
})

test('fetches a list again until its copy is written', async () => {
  await using server = await serve((request, response) => {
    if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end()
    else response.writeHead(200, { etag: '"one"' }).end(rule)
  })
  // As on a full disk: nothing can be written below a file.
  const blocked = join(folder, 'lists')
  await writeFile(blocked, '')
  const list = createSubscription(server.url, { folder: blocked, everyMs: 0, failures })
  await list.update(signal)
  expect([(await list.read())?.text, problems.length]).toEqual([rule, 1])
  await rm(blocked)
  await list.update(signal)
  expect(problems).toHaveLength(1)
  expect(await readdir(blocked)).toHaveLength(1)
  await list.update(signal)
  expect(problems).toHaveLength(1)
})

test('treats a copy that cannot be read as missing, so that no other list waits for it', async () => {
  await using server = await serve((_request, response) => response.end(rule))
  await subscribe(server.url).update(signal)
  const [copy = ''] = await readdir(folder)
  await rm(join(folder, copy))
  await mkdir(join(folder, copy))
  const list = subscribe(server.url)
  expect(await list.read()).toBeUndefined()
  expect(problems).toEqual([expect.stringContaining('EISDIR')])
  await list.update(signal)
  expect((await list.read())?.text).toBe(rule)
})

test.each([
  ['was emptied', (path: string) => writeFile(path, '')],
  ['contains something else', (path: string) => writeFile(path, Buffer.alloc(5_000))],
  ['is a folder', (path: string) => rm(path).then(() => mkdir(path))],
  ['is missing', (path: string) => rm(path)],
])('a newest copy that %s leaves the one before it in effect, until the list is fetched', async (what, damage) => {
  let body = rule
  let isOffline = false
  await using server = await serve((_request, response) => response.writeHead(isOffline ? 503 : 200).end(body))
  const list = subscribe(server.url)
  await list.update(signal)
  body = `${rule}\n/ipns/bad.example\n`
  await list.update(signal)
  const newest = (await readdir(folder)).find((name) => name.endsWith('.deny')) ?? ''
  await damage(join(folder, newest))
  isOffline = true
  const restarted = subscribe(server.url)
  await restarted.update(signal)
  problems = []
  expect((await restarted.read())?.text).toBe(rule)
  expect(problems).toHaveLength(what === 'is missing' ? 0 : 1)
  isOffline = false
  await restarted.update(signal)
  expect((await restarted.read())?.text).toBe(body)
})

test('a damaged newest copy does not replace the one before it', async () => {
  let body = rule
  await using server = await serve((_request, response) => response.end(body))
  const list = subscribe(server.url)
  await list.update(signal)
  body = `${rule}\n/ipns/bad.example\n`
  await list.update(signal)
  const path = join(folder, (await readdir(folder)).find((name) => name.endsWith('.deny')) ?? '')
  await writeFile(path, '')
  const restarted = subscribe(server.url)
  await restarted.read()
  await restarted.update(signal)
  expect((await subscribe(server.url).read())?.text).toBe(body)
  await writeFile(path, '')
  expect((await subscribe(server.url).read())?.text).toBe(rule)
})

test('follows a redirect within the host, and none to a private host', async () => {
  await using other = await serve((_request, response) => response.end(rule))
  await using server = await serve((request, response) => {
    const target = { '/own': '/list', '/other': other.url }[request.url ?? '']
    if (target === undefined) response.end(rule)
    else response.writeHead(302, { location: target }).end()
  })
  const own = subscribe(`${server.url}/own`)
  await own.update(signal)
  expect([(await own.read())?.text, problems]).toEqual([rule, []])
  const elsewhere = subscribe(`${server.url}/other`)
  await elsewhere.update(signal)
  expect(await elsewhere.read()).toBeUndefined()
  expect(problems).toEqual([expect.stringContaining('not on the public internet')])
})

test('treats lists that differ only in their query as two lists, and puts the query in no name', async () => {
  await using server = await serve((_request, response) => response.end(rule))
  const names = []
  for (const query of ['?key=secret&list=1', '?key=secret&list=2']) {
    const list = subscribe(server.url + query)
    await list.update(signal)
    names.push((await list.read())?.name)
  }
  expect(new Set(names).size).toBe(2)
  expect(names.join()).not.toContain('secret')
})

test('an unreadable file of a folder, or an unreadable folder, removes no rule', async () => {
  const place = join(folder, 'lists')
  await mkdir(place)
  for (const name of ['a.deny', 'b.deny', 'c.deny']) await writeFile(join(place, name), rule)
  const read = (known: ReadonlyMap<string, { version: string }>) => readListFiles([place], known, failures)
  const first = await read(new Map())
  expect(first.map(({ text }) => text)).toEqual([rule, rule, rule])
  const known = new Map(first.map(({ name, version }) => [name, { version }]))
  const unchanged = first.map(({ name, version }) => ({ name, version, text: '' }))

  await rename(join(place, 'b.deny'), join(folder, 'b'))
  await mkdir(join(place, 'b.deny'))
  expect(await read(known)).toEqual(unchanged)
  expect(problems).toHaveLength(1)

  await rename(place, join(folder, 'gone'))
  expect(await read(known)).toEqual(unchanged)
  expect(problems).toHaveLength(2)
})
