// The SDK in a real browser: bundled for it, served from one origin, and connected to the network on others.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../chromium.ts'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
let server: Server
let browser: Browser
let page: Page
const problems: string[] = []

beforeAll(async () => {
  network = await createTestNetwork()
  const { apiKey } = await createTestKey(network)
  const { outputFiles } = await build({
    stdin: { contents: "import * as sdk from '@cairn/sdk'\nglobalThis.sdk = sdk", resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser', '@cairn/source'],
    write: false,
  })
  const script = outputFiles[0]?.text ?? ''
  server = createServer((request, response) => {
    if (request.url === '/sdk.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<input type="file" id="folder" webkitdirectory><script type="module" src="/sdk.js"></script>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  browser = await launchChromium()
  page = await browser.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction('globalThis.sdk !== undefined')
  await page.evaluate(
    `globalThis.client = sdk.createClient({ network: ${JSON.stringify(network.storage.profile)}, apiKey: ${JSON.stringify(apiKey)} })`,
  )
})

afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  await new Promise((done) => server?.close(done))
  await network?.[Symbol.asyncDispose]()
  expect(problems).toEqual([])
})

test('rejects another file of the same size before a byte is sent, although no CID was known', async () => {
  const result = await page.evaluate(`(async () => {
    const bytes = new Uint8Array(3_000_000).map((_none, i) => (i * 11 + (i >> 7)) & 255)
    const other = bytes.slice()
    other.fill(7, 1_400_000, 1_700_000)
    let first
    const stop = new AbortController()
    const onState = (state) => { first ??= state; stop.abort() }
    const began = { resumable: sdk.createResumable({ onState }), signal: stop.signal }
    const aborted = await sdk.uploadFile(client, new File([bytes], 'first.bin'), began).catch((error) => error.code)
    const resume = (content) => {
      const resumable = sdk.createResumable({ state: { ...first, cids: [] } })
      return sdk.uploadFile(client, new File([content], 'first.bin'), { resumable })
    }
    const rejected = await resume(other).catch((error) => error.code)
    const { cid } = await resume(bytes)
    const back = await sdk.downloadBytes(client, cid)
    return { aborted, rejected, same: back.length === bytes.length && back.every((byte, i) => byte === bytes[i]) }
  })()`)
  expect(result).toEqual({ aborted: 'ABORTED', rejected: 'FILE_CHANGED', same: true })
})

test('uploads a text, a File and a folder with the CID computed in the page, and reads them back verified', async () => {
  const result = await page.evaluate(`(async () => {
    const text = await sdk.uploadText(client, 'hello world', { name: 'hello.txt' })
    const bytes = new Uint8Array(1_000_000).map((_none, i) => (i * 7 + (i >> 9)) & 255)
    const steps = []
    const file = await sdk.uploadFile(client, new File([bytes], 'big.bin'), { onProgress: (step) => steps.push(step) })
    const back = await sdk.downloadBytes(client, file.cid)
    const part = await sdk.downloadBytes(client, file.cid, { fromByte: 300_000, toByte: 300_010 })
    const folder = await sdk.uploadFolder(client, [{ path: 'a.txt', content: 'one' }, { path: 'b/c.txt', content: 'two' }])
    const inner = new TextDecoder().decode(await sdk.downloadBytes(client, folder.cid + '/b/c.txt'))
    return {
      text: text.cid,
      same: back.length === bytes.length && back.every((byte, i) => byte === bytes[i]),
      part: part.every((byte, i) => byte === bytes[300_000 + i]) && part.length,
      last: steps.at(-1),
      inner,
    }
  })()`)
  expect(result).toMatchObject({
    text: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    same: true,
    part: 10,
    last: { phase: 'send', bytes: 1_000_000, total: 1_000_000 },
    inner: 'two',
  })
})

test('uploads a large Blob completely, and stops on abort', async () => {
  const result = await page.evaluate(`(async () => {
    const block = new Uint8Array(1 << 20).map((_none, i) => (i * 13 + (i >> 7)) & 255)
    const blob = new Blob([...Array(20)].flatMap((_none, i) => [block, String(i)]))
    const { cid, sizeBytes } = await sdk.uploadFile(client, blob)
    const back = await sdk.downloadBytes(client, cid)
    const sent = new Uint8Array(await blob.arrayBuffer())
    const stop = new AbortController()
    const code = await sdk.uploadFile(client, blob, { signal: stop.signal, onProgress: () => stop.abort() })
      .catch((error) => error.code)
    return { whole: sizeBytes === blob.size, same: back.every((byte, i) => byte === sent[i]), code }
  })()`)
  expect(result).toEqual({ whole: true, same: true, code: 'ABORTED' })
})

test('a folder chosen in a directory input keeps its names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-chosen-'))
  try {
    await mkdir(join(folder, 'deep'))
    await writeFile(join(folder, 'a.txt'), 'one')
    await writeFile(join(folder, 'deep', 'b.txt'), 'two')
    await page.setInputFiles('#folder', folder)
    const result = await page.evaluate(`(async () => {
      const { cid, name } = await sdk.uploadFolder(client, document.querySelector('#folder').files)
      const inner = new TextDecoder().decode(await sdk.downloadBytes(client, cid + '/deep/b.txt'))
      return { name, inner }
    })()`)
    expect(result).toEqual({ name: basename(folder), inner: 'two' })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a page of another origin uploads with an upload link alone', async () => {
  const result = await page.evaluate(`(async () => {
    const { id, url } = await sdk.createUploadLink(client, { contentTypes: ['image/*'], maxUploads: 1 })
    const bytes = new Uint8Array(300_000).map((_none, i) => (i * 5 + (i >> 7)) & 255)
    const file = new File([bytes], 'cat.png', { type: 'image/png' })
    const { bytesLeft } = await sdk.inspectUploadLink(url)
    const steps = []
    const { cid, name } = await sdk.uploadWithLink(url, file, { onProgress: (step) => steps.push(step) })
    const back = await sdk.downloadBytes(client, cid)
    const again = await sdk.uploadWithLink(url, file).catch(({ code, details }) => ({ code, details }))
    const [{ uploads, state }] = (await sdk.listUploadLinks(client)).filter((link) => link.id === id)
    return {
      name,
      bytesLeft,
      again,
      listed: { uploads, state },
      same: back.length === bytes.length && back.every((byte, i) => byte === bytes[i]),
      last: steps.at(-1),
    }
  })()`)
  expect(result).toMatchObject({
    name: 'cat.png',
    bytesLeft: 104_857_600,
    again: { code: 'GONE', details: { reason: 'used-up' } },
    listed: { uploads: 1, state: 'ended' },
    same: true,
    last: { phase: 'send', bytes: 300_000, total: 300_000 },
  })
})

test('keys, listings and errors work across origins', async () => {
  const result = await page.evaluate(`(async () => {
    const wallet = sdk.createWallet()
    const key = await sdk.createApiKey(sdk.createClient({ network: client.network }), wallet)
    const own = sdk.createClient({ network: client.network, apiKey: key })
    await sdk.uploadText(own, 'mine')
    const names = []
    for await (const row of sdk.listFiles(own)) names.push(row.fileName)
    const wrong = await sdk.uploadText(sdk.createClient({ network: client.network, apiKey: 'no' }), 'x').catch((error) => error.code)
    const stop = new AbortController()
    stop.abort()
    const aborted = await sdk.uploadText(own, 'x', { signal: stop.signal }).catch((error) => error.code)
    const path = await sdk.uploadFile(own, '/etc/passwd').catch((error) => error.code)
    return { names, wrong, aborted, path }
  })()`)
  expect(result).toEqual({ names: ['text'], wrong: 'UNAUTHENTICATED', aborted: 'ABORTED', path: 'FILE_UNREADABLE' })
})

test('a file is encrypted, shared, and decrypted in the page, in both formats', async () => {
  const { privateKey } = network.profile.wallet
  const result = await page.evaluate(`(async () => {
    const keySession = await sdk.openKeySession(client, { privateKey: ${JSON.stringify(privateKey)} })
    const own = { ...client, keySession }
    const friendKey = sdk.createWallet()
    const friend = { ...client, keySession: await sdk.openKeySession(client, friendKey) }
    const bytes = new Uint8Array(2_500_000).map((_none, i) => (i * 7 + (i >> 9)) & 255)
    const results = []
    for (const format of ['v1', 'v2']) {
      const { cid, keys } = await sdk.uploadEncrypted(own, new File([bytes], 'secret.bin'), { format })
      const denied = await sdk.decryptBytes(friend, cid).then(() => 'open', (error) => error.code)
      await sdk.shareFile(own, cid, [friendKey.address])
      const back = await sdk.decryptBytes(friend, cid)
      const stored = await sdk.downloadBytes(own, cid)
      results.push({ done: keys.done.length, denied, same: back.every((byte, i) => byte === bytes[i]) && back.length, more: stored.length > bytes.length })
    }
    return results
  })()`)
  const whole = { done: 5, denied: 'ACCESS_DENIED', same: 2_500_000, more: true }
  expect(result).toEqual([whole, whole])
})

test('sends an encrypted file in parts as one file, which the service imports as it arrives', async () => {
  const { privateKey } = network.profile.wallet
  const starting = page.waitForRequest(
    (request) => request.url().endsWith('/api/uploads') && request.method() === 'POST',
  )
  const result = await page.evaluate(`(async () => {
    const own = { ...client, keySession: await sdk.openKeySession(client, { privateKey: ${JSON.stringify(privateKey)} }) }
    const bytes = new Uint8Array(9_000_000).map((_none, i) => (i * 11 + (i >> 9)) & 255)
    const resumable = sdk.createResumable()
    const { cid } = await sdk.uploadEncrypted(own, new File([bytes], 'part.bin'), { format: 'v2', resumable })
    const back = await sdk.decryptBytes(own, cid)
    const { fileName: name, encryption: isEncrypted } = await sdk.getFileInfo(own, cid)
    return { name, isEncrypted, same: back.every((byte, i) => byte === bytes[i]) && back.length }
  })()`)
  expect(result).toEqual({ name: 'part.bin', isEncrypted: true, same: 9_000_000 })
  const metadata = (await starting).headers()['upload-metadata'] ?? ''
  expect(metadata).toContain('filename ')
  expect(metadata).not.toContain('body-type')
})

test('publishes names, by the service and by a key of the page alone, and resolves them verified', async () => {
  const result = await page.evaluate(`(async () => {
    const { cid } = await sdk.uploadText(client, 'named')
    const nobody = sdk.createClient({ network: client.network })
    const held = await sdk.createName(client, { label: 'page' })
    await sdk.publishName(client, held.name, cid)
    const keys = [await sdk.createNameKey(), await sdk.createNameKey()]
    await sdk.publishSigned(client, keys[0], held.name, { label: 'mine' })
    await sdk.publishSigned(nobody, await sdk.importNameKey(await sdk.exportNameKey(keys[1])), '/ipns/' + keys[0].name)
    const found = await sdk.resolveName(nobody, keys[1].name)
    const past = await Array.fromAsync(sdk.listNameHistory(client, held.name))
    await sdk.renameName(client, held.name, 'other')
    const labels = (await Array.fromAsync(sdk.listNames(client))).map(({ label }) => label).sort()
    const exported = await sdk.exportName(client, held.name)
    await sdk.removeName(client, held.name)
    return {
      isFound: found.cid === cid,
      steps: found.records.length,
      past: past.length,
      labels,
      isOwn: (await sdk.importNameKey(exported.key)).name === held.name,
      gone: await sdk.getName(client, held.name).catch((error) => error.code),
    }
  })()`)
  expect(result).toEqual({
    isFound: true,
    steps: 3,
    past: 1,
    labels: ['mine', 'other'],
    isOwn: true,
    gone: 'NAME_NOT_FOUND',
  })
})
