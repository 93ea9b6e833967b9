// @cairn/react in a real browser, in strict mode, against a network with key nodes and a chain.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CairnProvider, useFiles, useUpload } from '@cairn/react'
import { createClient, createName, listFiles, useFaucet } from '@cairn/sdk'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchChromium } from '../chromium.ts'
import { createKeyClient, createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import type { Provided, Shown } from './react-app.ts'

let network: TestNetwork
let server: Server
let browser: Browser
let page: Page
let problems: string[] = []

beforeAll(async () => {
  network = await createTestNetwork({}, 'local')
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/react-app.ts`],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser', '@cairn/source'],
    // The development build of React reports what strict mode finds.
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
  })
  const script = outputFiles[0]?.text ?? ''
  server = createServer((request, response) => {
    if (request.url === '/app.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><body><script type="module" src="/app.js"></script>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  browser = await launchChromium()
  page = await browser.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // The browser itself reports every failed response, which some tests cause.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
})

beforeEach(async () => {
  problems = []
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction('window.app !== undefined')
  return () => expect(problems).toEqual([])
})

afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  await new Promise((done) => server?.close(done))
  await network?.[Symbol.asyncDispose]()
})

/** A provider of a new account. */
async function openAccount() {
  const { keySession, apiKey = '', address, privateKey } = await createKeyClient(network)
  const provider = { network: network.profile, apiKey, keySession }
  return { provider, client: createClient(provider), address, privateKey }
}

async function render(provider: Provided, shown: Shown): Promise<void> {
  await page.evaluate(({ provider, shown }) => window.app.render(provider, shown), { provider, shown })
}

/** The values that a component shows now. */
async function read(id: string): Promise<Record<string, unknown>> {
  return JSON.parse((await page.textContent(`#${id}`)) ?? '{}')
}

const shows = (id: string) => expect.poll(() => read(id))

async function namesOf(client: Parameters<typeof listFiles>[0]): Promise<string[]> {
  return (await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)
}

test('a network is loaded by its URL; a wrong one is an error, and hooks work after it is fixed', async () => {
  const { provider } = await openAccount()
  await render({ network: 'http://127.0.0.1:1' }, { account: {} })
  await shows('status').toEqual({ code: 'NETWORK_ERROR' })
  await shows('account').toMatchObject({ code: 'NETWORK_ERROR' })
  await render({ ...provider, network: network.profile.api }, { account: {} })
  await shows('status').toEqual({ network: network.profile.name })
  await shows('account').toEqual({ boughtBytes: 0, usedBytes: 0 })
})

test.each(['retry', 'refresh'] as const)('loads a network that failed to load by %s', async (way) => {
  const { provider } = await openAccount()
  const address = `${network.profile.api}/.well-known/cairn.json`
  await page.route(address, (route) => route.abort())
  await render({ ...provider, network: network.profile.api }, { files: { limit: 10 } })
  await shows('status').toEqual({ code: 'NETWORK_ERROR' })
  await shows('files').toMatchObject({ code: 'NETWORK_ERROR' })
  await page.unroute(address)
  await page.evaluate((way) => {
    const { retry, files } = window.app.actions
    if (way === 'retry') retry?.()
    else files?.refresh()
  }, way)
  await shows('status').toEqual({ network: network.profile.name })
  await shows('files').toMatchObject({ names: [], isLoading: false })
})

test('uploads run in order with progress, and update listings, pages and usage', async () => {
  const { provider, client } = await openAccount()
  await render(provider, { upload: { encrypted: false }, files: { limit: 2 }, account: {} })
  await shows('files').toMatchObject({ names: [], totalFiles: 0, hasMore: false, isLoading: false })
  const results = await page.evaluate(async () => {
    const bytes = new Uint8Array(3_000_000).map((_none, i) => (i * 7 + (i >> 9)) & 255)
    const { upload } = window.app.actions.upload ?? {}
    const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => new File([bytes, name], name))
    return Promise.all(files.map((file) => upload?.(file)))
  })
  expect(results.map((result) => result?.name)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  await shows('upload').toMatchObject({ status: 'done', cid: results[2]?.cid, progress: { bytes: 3_000_005 } })
  expect(await namesOf(client)).toEqual(['c.txt', 'b.txt', 'a.txt'])
  await shows('files').toMatchObject({ names: ['c.txt', 'b.txt'], totalFiles: 3, hasMore: true, isLoading: false })
  await page.evaluate(() => window.app.actions.files?.loadMore())
  await shows('files').toMatchObject({ names: ['c.txt', 'b.txt', 'a.txt'], hasMore: false })
  await expect.poll(async () => Number((await read('account'))['usedBytes'])).toBeGreaterThan(9_000_000)
  await render(provider, { files: { limit: 2, search: 'b.t' } })
  await shows('files').toMatchObject({ names: ['b.txt'], totalFiles: 1 })
})

test('an encrypted file opens for its owner and for those it is shared with, until it is revoked', async () => {
  const [owner, friend] = [await openAccount(), await openAccount()]
  await render(owner.provider, { upload: { encrypted: true } })
  const cid = await page.evaluate(async () => {
    const result = await window.app.actions.upload?.upload(new File(['dear diary'], 'diary.txt'))
    return result?.cid ?? ''
  })
  expect(cid).not.toBe('')
  await render(owner.provider, { open: { content: cid }, share: { cid } })
  await shows('open').toMatchObject({ sizeBytes: 10, type: 'text/plain', isLoading: false })
  const { url } = await read('open')
  expect(await page.evaluate(async (link) => (await fetch(link)).text(), String(url))).toBe('dear diary')
  await shows('share').toMatchObject({ sharedTo: [] })
  await page.evaluate((address) => window.app.actions.share?.share([address]), friend.address)
  await expect
    .poll(async () => JSON.stringify((await read('share'))['sharedTo']).toLowerCase())
    .toContain(friend.address)
  await render(friend.provider, { open: { content: cid } })
  await shows('open').toMatchObject({ sizeBytes: 10 })
  // The Blob of the other account, and its URL, are gone.
  expect(
    await page.evaluate(
      (link) =>
        fetch(link).then(
          () => 'open',
          () => 'revoked',
        ),
      String(url),
    ),
  ).toBe('revoked')
  await render(owner.provider, { share: { cid } })
  await page.waitForSelector('#share')
  await page.evaluate((address) => window.app.actions.share?.revoke([address]), friend.address)
  await shows('share').toMatchObject({ sharedTo: [] })
  await render(friend.provider, { open: { content: cid } })
  await shows('open').toMatchObject({ code: 'ACCESS_DENIED' })
  await page.evaluate(() => window.app.unmount())
})

test('an encrypted folder has one CID; wrong settings are an error', async () => {
  const { provider, client } = await openAccount()
  await render(provider, { upload: { encrypted: true } })
  const result = await page.evaluate(() =>
    window.app.actions.upload?.upload([{ path: 'a.txt', content: 'one' }], { name: 'notes' }),
  )
  expect(result).toMatchObject({ name: 'notes' })
  expect(await namesOf(client)).toEqual(['notes'])
  await page.evaluate(() => window.app.actions.upload?.upload(new Blob(['x']), { encrypted: false, shareTo: ['0x1'] }))
  await shows('upload').toMatchObject({ status: 'failed', code: 'INVALID_REQUEST' })
  await page.evaluate(() => window.app.actions.upload?.reset())
  await shows('upload').toEqual({ status: 'idle' })
})

test('the files of an input are uploaded, also if the page clears the input at once', async () => {
  const { provider, client } = await openAccount()
  await render(provider, { upload: { encrypted: false } })
  const result = await page.evaluate(() => {
    const chosen = new DataTransfer()
    for (const name of ['a.txt', 'b.txt']) chosen.items.add(new File([name], name))
    const input = document.createElement('input')
    input.type = 'file'
    input.multiple = true
    input.files = chosen.files
    const { files } = input
    const uploading = files === null ? undefined : window.app.actions.upload?.upload(files, { name: 'chosen' })
    input.value = ''
    return uploading
  })
  expect(result).toMatchObject({ name: 'chosen', sizeBytes: 10 })
  expect(await namesOf(client)).toEqual(['chosen'])
})

test('abort and unmount stop an upload, store nothing, and update nothing afterwards', async () => {
  const { provider, client } = await openAccount()
  await render(provider, { upload: { encrypted: false } })
  /** Uploads 40 MB and two more files, and stops at the first progress. */
  const stopAtProgress = (how: 'abort' | 'unmount') =>
    page.evaluate(async (way) => {
      const { app } = window
      const upload = app.actions.upload
      const large = new Blob(Array.from({ length: 40 }, (_none, i) => new Uint8Array(1 << 20).fill(i)))
      const all = [large, new Blob(['b']), new Blob(['c'])].map((file) => upload?.upload(file, { name: 'never' }))
      await new Promise<void>((done) => {
        const seen = () => {
          if (app.actions.upload?.progress === undefined) requestAnimationFrame(seen)
          else done()
        }
        seen()
      })
      if (way === 'abort') upload?.abort()
      else app.unmount()
      const before = app.renderCount()
      return { results: await Promise.all(all), renders: app.renderCount() - before }
    }, how)
  expect((await stopAtProgress('abort')).results).toEqual([undefined, undefined, undefined])
  await shows('upload').toEqual({ status: 'idle' })
  const again = await page.evaluate(() => window.app.actions.upload?.upload(new Blob(['kept']), { name: 'kept' }))
  expect(again).toMatchObject({ name: 'kept' })
  expect(await stopAtProgress('unmount')).toEqual({ results: [undefined, undefined, undefined], renders: 0 })
  // The actions of an unmounted component do nothing.
  expect(await page.evaluate(() => window.app.actions.upload?.upload(new Blob(['late'])))).toBeUndefined()
  expect(await namesOf(client)).toEqual(['kept'])
})

test('rejects a file above the limit, and revokes the URL of an opened file on unmount', async () => {
  const { provider } = await openAccount()
  await render(provider, { upload: { encrypted: false } })
  const cid = await page.evaluate(async () => {
    const bytes = new Uint8Array(2_000_000).fill(3)
    return (await window.app.actions.upload?.upload(new Blob([bytes])))?.cid ?? ''
  })
  await render(provider, { open: { content: cid, maxBytes: 1_999_999 } })
  await shows('open').toMatchObject({ code: 'FILE_TOO_LARGE' })
  await render(provider, { open: { content: cid, maxBytes: 2_000_000 } })
  await shows('open').toMatchObject({ sizeBytes: 2_000_000, isLoading: false })
  await expect.poll(async () => (await read('open'))['url']).toMatch(/^blob:/)
  const { url } = await read('open')
  const state = await page.evaluate(async (link) => {
    const before = (await (await fetch(link)).blob()).size
    window.app.unmount()
    return {
      before,
      after: await fetch(link).then(
        () => 'open',
        () => 'revoked',
      ),
    }
  }, String(url))
  expect(state).toEqual({ before: 2_000_000, after: 'revoked' })
})

test('rejects an encrypted file above the limit by its first bytes', async () => {
  const { provider } = await openAccount()
  await render(provider, { upload: { encrypted: true } })
  const cid = await page.evaluate(async () => {
    const bytes = new Uint8Array(2_000_000).fill(3)
    return (await window.app.actions.upload?.upload(new Blob([bytes])))?.cid ?? ''
  })
  const asked: string[] = []
  const note = (request: { url(): string }) => asked.push(request.url())
  page.on('request', note)
  await render(provider, { open: { content: cid, maxBytes: 1_999_999, encrypted: true } })
  await shows('open').toMatchObject({ code: 'FILE_TOO_LARGE' })
  page.off('request', note)
  const downloads = asked.filter((url) => url.includes(cid) && url.includes('format=car'))
  // Strict mode opens it twice.
  expect(new Set(downloads.map((url) => /entity-bytes=[\d:*]+/.exec(url)?.[0]))).toEqual(
    new Set(['entity-bytes=0:147']),
  )
  await render(provider, { open: { content: cid, maxBytes: 2_000_000, encrypted: true } })
  await shows('open').toMatchObject({ sizeBytes: 2_000_000, isLoading: false })
})

test('a name is published and resolved again', async () => {
  const { provider, client } = await openAccount()
  const { name } = await createName(client, { label: 'site' })
  await render(provider, { upload: { encrypted: false }, name: { name } })
  await shows('name').toMatchObject({ code: 'NAME_NOT_FOUND' })
  const cid = await page.evaluate(async () => {
    const result = await window.app.actions.upload?.upload(new Blob(['named']))
    await window.app.actions.name?.publish(result?.cid ?? '')
    return result?.cid
  })
  await shows('name').toEqual({ cid })
  await page.evaluate(() => window.app.actions.name?.publish('nonsense'))
  await shows('name').toMatchObject({ cid, publishCode: 'INVALID_NAME_VALUE' })
})

test('a payment runs once, reports its steps, and the balance follows', async () => {
  const privateKey = generatePrivateKey()
  const { apiKey } = await createTestKey(network, privateKey)
  const provider = { network: network.profile, apiKey }
  await useFaucet(createClient(provider), privateKeyToAccount(privateKey).address)
  await render(provider, { pay: {}, account: {} })
  await shows('account').toMatchObject({ boughtBytes: 0 })
  const [first, second] = await page.evaluate(async (key) => {
    const pay = window.app.actions.pay?.pay
    const start = () => pay?.({ privateKey: key }, { sizeBytes: 1_000_000 })
    const both = await Promise.all([start(), start()])
    return both.map((paid) => paid?.payments.map(({ state }) => state))
  }, privateKey)
  expect(first).toEqual(['credited'])
  expect(second).toBeUndefined()
  expect(await page.evaluate(() => window.app.paySteps)).toEqual(['paying', 'sent', 'mined'])
  await shows('pay').toEqual({ status: 'done', step: 'mined', states: ['credited'] })
  await expect.poll(async () => Number((await read('account'))['boughtBytes'])).toBeGreaterThanOrEqual(1_000_000)
})

test('shows nothing of the previous account after a change of account', async () => {
  const [first, second] = [await openAccount(), await openAccount()]
  await render(first.provider, { upload: { encrypted: false }, files: { limit: 10 } })
  await page.evaluate(() => window.app.actions.upload?.upload(new Blob(['mine']), { name: 'mine' }))
  await shows('files').toMatchObject({ names: ['mine'] })
  await render(second.provider, { upload: { encrypted: false }, files: { limit: 10 } })
  await shows('files').toMatchObject({ names: [], totalFiles: 0, isLoading: false })
  expect(await read('upload')).toEqual({ status: 'idle' })
})

test('an upload that a child starts when the account changes belongs to the new account', async () => {
  const [first, second] = [await openAccount(), await openAccount()]
  await render(first.provider, { saved: { name: 'notes' } })
  await shows('saved').toMatchObject({ cid: expect.any(String) })
  await render(second.provider, { saved: { name: 'notes' } })
  await shows('saved').toMatchObject({ cid: expect.any(String) })
  expect([await namesOf(second.client), await namesOf(first.client)]).toEqual([['notes'], ['notes']])
})

test('shows why an action failed for its subject, not for the next file, name or listing', async () => {
  const { provider } = await openAccount()
  await render(provider, { upload: { encrypted: true }, files: { limit: 1 } })
  const cids = await page.evaluate(async () => {
    const { upload } = window.app.actions.upload ?? {}
    const results = await Promise.all(['one', 'two'].map((text) => upload?.(new Blob([text]), { name: text })))
    return results.map((result) => result?.cid ?? '')
  })
  await shows('files').toMatchObject({ names: ['two'], hasMore: true, isLoading: false })
  await page.route('**/api/user/files_uploaded**', (route) => route.abort())
  await page.evaluate(() => window.app.actions.files?.loadMore())
  await shows('files').toMatchObject({ names: ['two'], code: 'NETWORK_ERROR' })
  await page.unroute('**/api/user/files_uploaded**')
  await page.evaluate(() => window.app.actions.files?.refresh())
  await shows('files').toEqual({ names: ['two'], totalFiles: 2, hasMore: true, isLoading: false })
  const [one = '', two = ''] = cids
  await render(provider, { share: { cid: one } })
  await shows('share').toMatchObject({ sharedTo: [] })
  await page.evaluate(() => window.app.actions.share?.share(['no address']))
  await shows('share').toMatchObject({ changeCode: 'INVALID_ADDRESS' })
  await render(provider, { share: { cid: two } })
  await shows('share').toMatchObject({ sharedTo: [] })
  expect(await read('share')).not.toHaveProperty('changeCode')
})

test('components render on a server, and a hook outside the provider says so', () => {
  function View() {
    const { status } = useUpload()
    const { isLoading } = useFiles()
    return createElement('p', null, `${status} ${isLoading}`)
  }
  const view = createElement(View)
  const provider = { network: network.profile }
  expect(renderToString(createElement(CairnProvider, provider, view))).toBe('<p>idle true</p>')
  expect(() => renderToString(view)).toThrow('A Cairn hook was called outside of CairnProvider')
})
