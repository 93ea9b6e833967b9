// Announced content goes to a server that reads it like Kubo, and is removed from it when deleted. A real Kubo: tests/interop.
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { CarReader } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAdmin } from '../admin/admin.fixture.ts'
import type { Context } from '../context.ts'
import { checkDenials } from '../ipni/ipni.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { createBelowCheck } from './check-below.ts'
import { handOverDue } from './hand-over.ts'
import { createKuboClient } from './kubo-client.ts'
import { createHandoverWorker } from './worker.ts'

let storage: TestStorage
let key = ''
let server: Server
let url = ''
let now = 0
let context: Context
/** Responses of the server to imports instead of success. */
let importFailure: string | undefined
/** Runs before an import is answered. */
let beforeImported: ((gone: Promise<unknown>) => Promise<void>) | undefined
/** Runs before a pin is answered, and returns whether the response is lost. */
let beforePinned: (() => Promise<boolean>) | undefined
/** The outcome of a pin once it shows progress. */
let pinning: 'complete' | 'failing' | 'stuck' = 'complete'
/** Number of withdrawals that fail. */
let failingUnpins = 0
const pins = new Set<string>()
const imported: { cids: string[]; authorization: string | undefined }[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://kubo')
    const body = await buffer(request)
    const cid = searchParams.get('arg') ?? ''
    if (pathname === '/api/v0/dag/import') {
      if (importFailure !== undefined) return void response.end(importFailure)
      const head = body.indexOf('\r\n\r\n')
      const car = await CarReader.fromBytes(body.subarray(head + 4, body.lastIndexOf('\r\n--')))
      const cids: string[] = []
      for await (const one of car.cids()) cids.push(one.toString())
      imported.push({ cids, authorization: request.headers.authorization })
      await beforeImported?.(once(response, 'close'))
    } else if (pathname === '/api/v0/pin/add') {
      if (searchParams.get('progress') === 'true') response.write('{"Progress":1}\n')
      if (pinning === 'failing') return void response.end()
      if (pinning === 'stuck') return repeatProgress(response)
      pins.add(cid)
      if (await beforePinned?.()) return void response.destroy()
      return void response.end(`${JSON.stringify({ Pins: [cid] })}\n`)
    } else if (failingUnpins > 0) {
      failingUnpins--
      response.statusCode = 500
      return void response.end(JSON.stringify({ Message: 'busy', Code: 0, Type: 'error' }))
    } else if (!pins.delete(cid)) {
      response.statusCode = 500
      return void response.end(JSON.stringify({ Message: 'not pinned or pinned indirectly', Code: 0, Type: 'error' }))
    }
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // Without a Kubo of its own, no worker runs beside the rounds of the tests.
  storage = await startTestStorage()
  key = await storage.createKey()
  now = storage.context.clock.now()
  context = { ...storage.context, clock: { now: () => now } }
})
afterAll(async () => {
  server?.close()
  await storage?.[Symbol.asyncDispose]()
})

/** Like a Kubo that waits for a block: it keeps reporting, and the number stays the same. */
function repeatProgress(response: ServerResponse): void {
  const timer = setInterval(() => response.write('{"Progress":1}\n'), 10)
  response.once('close', () => clearInterval(timer))
}

const { signal } = new AbortController()
const round = () => {
  now += 60_000
  return handOverDue(context, createKuboClient({ url, authorization: 'Bearer of-the-operator' }), signal)
}
const rows = () => storage.context.db.read.selectFrom('handed_root').selectAll().execute()

async function upload(text: string, headers: Record<string, string> = {}): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([text]), 'a.txt')
  const sent = { ...bearer(key).headers, ...headers }
  const { body: answer } = await storage.call('/api/v0/add?cid-version=1', { method: 'POST', headers: sent, body })
  return (JSON.parse(answer) as { Hash: string }).Hash
}

async function remove(cid: string): Promise<void> {
  const { json } = await storage.call('/api/user/files_uploaded', bearer(key))
  const file = (json as { fileList: { id: string; cid: string }[] }).fileList.find((one) => one.cid === cid)
  await storage.call(`/api/user/delete_file?id=${file?.id}`, { method: 'DELETE', ...bearer(key) })
}

test('sends announced content as a CAR, pins it once, and unpins it when its last upload is deleted', async () => {
  const cid = await upload('for everyone', { announce: 'true' })
  await upload('not announced')
  expect(await round()).toBe(1)
  expect(imported).toEqual([{ cids: [cid], authorization: 'Bearer of-the-operator' }])
  expect([...pins]).toEqual([cid])
  // Another upload of the same content changes nothing.
  await upload('for everyone', { announce: 'true' })
  await round()
  await remove(cid)
  await round()
  expect([imported.length, [...pins]]).toEqual([1, [cid]])
  await remove(cid)
  await round()
  expect([...pins]).toEqual([])
  expect(await rows()).toEqual([])
})

test('stores a failure in the middle of a CAR and retries later', async () => {
  importFailure = '{"Root":null}\n{"Message":"disk full","Code":0,"Type":"error"}'
  const cid = await upload('later', { announce: 'true' })
  expect(await round()).toBe(1)
  expect(await rows()).toMatchObject([{ cid, is_handed: 0, tries: 1, error: expect.stringContaining('import a CAR') }])
  // Not due yet.
  expect(await handOverDue(context, createKuboClient({ url, authorization: undefined }), signal)).toBe(0)
  importFailure = undefined
  expect(await round()).toBe(1)
  expect(await rows()).toMatchObject([{ cid, is_handed: 1, tries: 0, error: null, due_at: null }])
  // A pin that the operator removed is no error.
  pins.clear()
  await remove(cid)
  await round()
  expect(await rows()).toEqual([])
})

test('retries a pin that fails or stalls after its first progress', async () => {
  const cid = await upload('large', { announce: 'true' })
  pinning = 'failing'
  expect(await round()).toBe(1)
  expect(await rows()).toMatchObject([{ cid, is_handed: 0, tries: 1, error: expect.stringContaining('no result') }])
  pinning = 'stuck'
  now += 60_000
  expect(await handOverDue(context, createKuboClient({ url, authorization: undefined }, 200), signal)).toBe(1)
  expect(await rows()).toMatchObject([{ cid, is_handed: 0, tries: 2, error: expect.stringContaining('not respond') }])
  pinning = 'complete'
  now += 10 * 60_000
  expect(await round()).toBe(1)
  expect(await rows()).toMatchObject([{ cid, is_handed: 1, tries: 0, error: null }])
  await remove(cid)
  await round()
})

test('unpins content that is deleted while it is pinned', async () => {
  const cid = await upload('short-lived', { announce: 'true' })
  beforePinned = async () => {
    await remove(cid)
    // The round started before: what changes meanwhile is due later.
    now += 1000
    return false
  }
  await round()
  beforePinned = undefined
  expect([...pins]).toEqual([cid])
  await round()
  expect([...pins]).toEqual([])
  expect(await rows()).toEqual([])
})

test('unpins deleted content before it sends other content', async () => {
  const cid = await upload('first', { announce: 'true' })
  await round()
  const next = await upload('second', { announce: 'true' })
  now += 60_000
  await remove(cid)
  const pinned: string[][] = []
  beforePinned = async () => {
    pinned.push([...pins])
    return false
  }
  await round()
  beforePinned = undefined
  expect(pinned).toEqual([[next]])
  await remove(next)
  await round()
  expect(await rows()).toEqual([])
})

/** Runs the worker without its pauses, until it is stopped. */
function startWorker(): AsyncDisposable {
  const stop = new AbortController()
  const clock = { now: () => now, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  const done = createHandoverWorker(context, { url, authorization: undefined }, clock).run(stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}

test('unpins content deleted during a long import, and ends the import of deleted content', async () => {
  const pinned = await upload('pinned before', { announce: 'true' })
  await round()
  const large = await upload('takes hours', { announce: 'true' })
  now += 60_000
  const begun = Promise.withResolvers<void>()
  let isAborted = false
  beforeImported = async (gone) => {
    begun.resolve()
    await gone
    isAborted = true
  }
  {
    await using _worker = startWorker()
    await begun.promise
    await remove(pinned)
    await expect.poll(() => [...pins]).toEqual([])
    expect((await rows()).map(({ cid }) => cid)).toEqual([large])
    expect(isAborted).toBe(false)
    await remove(large)
    await expect.poll(rows).toEqual([])
    await expect.poll(() => isAborted).toBe(true)
  }
  beforeImported = undefined
  expect([...pins]).toEqual([])
})

test('retries a withdrawal that fails during a long import while the import runs', async () => {
  const pinned = await upload('pinned for now', { announce: 'true' })
  await round()
  const large = await upload('takes hours, too', { announce: 'true' })
  now += 60_000
  const begun = Promise.withResolvers<void>()
  beforeImported = async (gone) => {
    begun.resolve()
    await gone
  }
  {
    await using _worker = startWorker()
    await begun.promise
    failingUnpins = 1
    await remove(pinned)
    const stateOf = async () => (await rows()).find(({ cid }) => cid === pinned)
    await expect.poll(stateOf).toMatchObject({ tries: 1, error: expect.stringContaining('busy') })
    // Not immediately, however many rounds run.
    await setTimeout(100)
    expect([...pins]).toEqual([pinned])
    now += 10_000
    await expect.poll(stateOf).toBeUndefined()
    expect([...pins]).toEqual([])
    await remove(large)
    await expect.poll(rows).toEqual([])
  }
  beforeImported = undefined
})

test('unpins content that another replica withdrew before it was pinned', async () => {
  const cid = await upload('withdrawn', { announce: 'true' })
  beforePinned = async () => {
    await remove(cid)
    await context.db.write((trx) => trx.deleteFrom('handed_root').where('cid', '=', cid).execute())
    return false
  }
  await round()
  beforePinned = undefined
  expect([...pins]).toEqual([])
})

test('unpins deleted content whose pin succeeded without an answer', async () => {
  const cid = await upload('unanswered', { announce: 'true' })
  beforePinned = async () => true
  await round()
  beforePinned = undefined
  expect([...pins]).toEqual([cid])
  expect(await rows()).toMatchObject([{ cid, is_handed: 0 }])
  await remove(cid)
  await round()
  expect([...pins]).toEqual([])
  expect(await rows()).toEqual([])
})

async function rule(cid: string, ...args: string[]): Promise<void> {
  expect((await runAdmin({ CAIRN_HOME: storage.home }, ...args)).code).toBe(0)
  const isDenied = args[0] === 'deny'
  await expect.poll(() => context.denylist.denies(CID.parse(cid)), { timeout: 20_000 }).toBe(isDenied)
}

test('unpins denied content, and pins it again once the rule is removed', async () => {
  const cid = await upload('denied for a while', { announce: 'true' })
  await round()
  expect([...pins]).toEqual([cid])
  const apply = async (...args: string[]) => {
    await rule(cid, ...args)
    await checkDenials(context, 'handed_root', signal)
    await round()
  }
  await apply('deny', cid, '--reason', 'a report')
  expect([...pins]).toEqual([])
  await apply('undeny', cid)
  expect([...pins]).toEqual([cid])
  expect(await rows()).toMatchObject([{ cid, is_handed: 1, due_at: null }])
  await remove(cid)
  await round()
})

async function uploadFolder(files: Record<string, string>): Promise<Map<string, string>> {
  const body = new FormData()
  for (const [path, text] of Object.entries(files)) body.append('file', new Blob([text]), path)
  const sent = { ...bearer(key).headers, announce: 'true' }
  const url = `${storage.apiUrl}/api/v0/add?cid-version=1&wrap-with-directory=true&stream-channels=true`
  const answer = await (await fetch(url, { method: 'POST', headers: sent, body })).text()
  const entries = answer
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
  return new Map((entries as { Name: string; Hash: string }[]).map(({ Name, Hash }) => [Name, Hash]))
}

test('does not hand over a folder with a denied block below it', async () => {
  const files = { 'a/b/page': 'a page', 'a/b/report': 'reported', 'a/more': 'more' }
  const cids = await uploadFolder(files)
  const [root = '', reported = ''] = [cids.get(''), cids.get('a/b/report')]
  const others = await Promise.all([1, 2, 3].map((other) => uploadFolder({ 'c/d': `other ${other}` })))
  const all = [root, ...others.map((one) => one.get('') ?? '')].toSorted()
  const count = imported.length
  const below = createBelowCheck(context)
  const apply = async (...args: string[]) => {
    await rule(reported, ...args)
    await checkDenials(context, 'handed_root', signal)
    await round()
    // It cycles through all roots, from any position.
    await below.run(signal)
    await round()
  }
  await apply('deny', reported, '--reason', 'a report')
  expect([...pins].toSorted()).toEqual(all.filter((one) => one !== root))
  expect(imported.slice(count).flatMap((one) => one.cids)).not.toContain(root)
  await apply('undeny', reported)
  expect([...pins].toSorted()).toEqual(all)
  await apply('deny', reported, '--reason', 'another report')
  expect([...pins].toSorted()).toEqual(all.filter((one) => one !== root))
  expect((await rows()).find(({ cid }) => cid === root)).toMatchObject({ is_handed: 0, due_at: null, error: null })
})

test('a service with a Kubo hands content over', { timeout: 60_000 }, async () => {
  await using own = await startTestStorage({ CAIRN_KUBO_RPC_URL: url })
  const { headers } = bearer(await own.createKey())
  const body = new FormData()
  body.append('file', new Blob(['by the worker']), 'a.txt')
  const sent = { method: 'POST', headers: { ...headers, announce: 'true' }, body }
  const { json } = await own.call('/api/v0/add?cid-version=1', sent)
  await expect.poll(() => [...pins], { timeout: 20_000 }).toContain((json as { Hash: string }).Hash)
})
