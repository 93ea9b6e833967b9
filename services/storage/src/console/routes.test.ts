import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { withoutWalletConnectFile } from './routes.ts'

const page = '<!doctype html><title>Cairn</title>'
const pages = JSON.stringify(
  ['/', '/files', '/files/$cid/$', '/files/$cid/access', '/open/$cid', '/link/$id', '/settings'].map((path) => ({
    path,
  })),
)
const script = `console.log(${JSON.stringify('x'.repeat(3000))})`

let folder = ''
let storage: TestStorage
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'pages.json'), pages)
  await writeFile(join(folder, 'theme.js'), 'theme()')
  await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(folder, 'assets', 'main-1a2b.js'), script)
  await writeFile(join(folder, 'assets', 'main-1a2b.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'assets', 'main-1a2b.js.gz'), gzipSync(script))
  storage = await startTestStorage({ CAIRN_CONSOLE_FOLDER: folder })
})
afterAll(async () => {
  await storage?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('users who open an unknown address get the page with status 404, programs and calls get the error', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'if-none-match': '*' }
  for (const path of ['/nothing', '/no/such/page?q=a', '/settings/x', '/open']) {
    const { status, headers, body } = await storage.call(path, { headers: browser })
    expect([path, status, body]).toEqual([path, 404, page])
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('etag')).toBeNull()
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    const { status: toProgram, body: error } = await storage.call(path, { headers: { accept: '*/*' } })
    expect([path, toProgram, JSON.parse(error).error.code]).toEqual([path, 404, 'NOT_FOUND'])
  }
  for (const [path, method, expected] of [
    ['/api/nothing', 'GET', 'NOT_FOUND'],
    ['/assets/gone-1a2b.js', 'GET', 'NOT_FOUND'],
    ['/nothing', 'POST', 'NOT_FOUND'],
    ['/api/v0/add', 'GET', 'METHOD_NOT_ALLOWED'],
  ] as const) {
    const { body } = await storage.call(path, { method, headers: browser })
    expect([path, method, JSON.parse(body).error.code]).toEqual([path, method, expected])
  }
})

test('serves the page at each address that the build lists, and at no other', async () => {
  for (const path of [
    '/',
    '/files',
    '/files/bafyone/access',
    '/open/bafyone',
    '/link/one',
    '/settings',
    '/files?q=a',
  ]) {
    const { status, headers, body } = await storage.call(path)
    expect([path, status, body]).toEqual([path, 200, page])
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache')
  }
  for (const path of [
    '/nothing',
    '/names',
    '/settings/x',
    '/assets/other.js',
    '/assets/main-1a2b.js.br',
    '/assets/../index.html/x',
    '/open',
  ]) {
    const { status, headers } = await storage.call(path)
    expect([path, status]).toEqual([path, 404])
    expect(headers.get('x-cairn-code')).toBe('NOT_FOUND')
  }
})

test('the page can run only our scripts and connect only to its network, and cannot be framed', async () => {
  const { headers } = await storage.call('/')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain(new URL(storage.gatewayUrl).origin)
  expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:\/\/\*|\s\*/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('caches parts with a hash in their name permanently, and revalidates the others', async () => {
  const { headers, body } = await storage.call('/assets/main-1a2b.js')
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(body).toBe(script)
  const theme = await storage.call('/theme.js')
  expect(theme.headers.get('cache-control')).toBe('no-cache')
  const again = await storage.call('/theme.js', { headers: { 'if-none-match': `W/${theme.headers.get('etag')}, "x"` } })
  expect([again.status, again.body]).toEqual([304, ''])
})

test('serves precompressed files to clients that accept them', async () => {
  const read = (acceptEncoding: string) =>
    new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const headers = { 'accept-encoding': acceptEncoding }
      request(`${storage.apiUrl}/assets/main-1a2b.js`, { headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => resolve({ encoding: answer.headers['content-encoding'], bytes: Buffer.concat(parts) }))
      })
        .on('error', reject)
        .end()
    })
  const best = await read('gzip, br;q=0.9')
  expect(best.encoding).toBe('br')
  expect(brotliDecompressSync(best.bytes).toString()).toBe(script)
  expect((await read('gzip, br;q=0')).encoding).toBe('gzip')
  const plain = await read('identity')
  expect(plain.encoding).toBeUndefined()
  expect(plain.bytes.toString()).toBe(script)
})

test('rejects a folder without a console at the start, by the name of its setting', async () => {
  await expect(startTestStorage({ CAIRN_CONSOLE_FOLDER: join(folder, 'assets') })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('CAIRN_CONSOLE_FOLDER'),
  })
  const unlisted = await mkdtemp(join(tmpdir(), 'cairn-console-'))
  try {
    await writeFile(join(unlisted, 'index.html'), page)
    for (const list of ['[]x', '[{"path":"https://elsewhere"}]']) {
      await writeFile(join(unlisted, 'pages.json'), list)
      await expect(startTestStorage({ CAIRN_CONSOLE_FOLDER: unlisted })).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('pages.json'),
      })
    }
  } finally {
    await rm(unlisted, { recursive: true, force: true })
  }
  await expect(startTestStorage({ CAIRN_CONSOLE_FOLDER: join(folder, 'missing') })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  })
})

test('serves a console built without WalletConnect, unless wallets on other devices are enabled', async () => {
  const bare = await mkdtemp(join(tmpdir(), 'cairn-console-'))
  try {
    await writeFile(join(bare, 'index.html'), page)
    await writeFile(join(bare, 'pages.json'), pages)
    await writeFile(join(bare, withoutWalletConnectFile), 'Built without it.')
    {
      await using served = await startTestStorage({ CAIRN_CONSOLE_FOLDER: bare })
      expect((await served.call('/')).status).toBe(200)
    }
    const wanted = { CAIRN_CONSOLE_FOLDER: bare, CAIRN_WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16) }
    await expect(startTestStorage(wanted)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      hint: expect.stringContaining('npm run add -- wallet-connect'),
    })
  } finally {
    await rm(bare, { recursive: true, force: true })
  }
})
