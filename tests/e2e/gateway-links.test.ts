// Private uploads and signed links against a real network: by the SDK, the command line and a plain HTTP client.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  type Client,
  createClient,
  createGatewayLink,
  createResumable,
  deleteFile,
  downloadBytes,
  downloadCar,
  downloadFile,
  getFileInfo,
  listApiKeys,
  listDirectory,
  listFiles,
  openFile,
  revokeApiKey,
  uploadBytes,
  uploadCar,
  uploadFile,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from '../code-of.ts'
import { createTestKey } from '../fixtures.ts'
import { type CliHome, createCliHome } from './cli-home.ts'

let home: CliHome
let owner: Client
let stranger: Client
let nobody: Client
beforeAll(async () => {
  home = await createCliHome()
  const { network } = home
  const open = async () => createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  owner = await open()
  stranger = await open()
  nobody = createClient({ network: network.profile })
})
afterAll(() => home?.[Symbol.asyncDispose]())

const get = async (url: string, init?: RequestInit) => {
  const answer = await fetch(url, init)
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
}

test('an owner uploads privately, reads it with the API key alone, and shares it by a link', async () => {
  const bytes = randomBytes(2_000_000)
  const { cid } = await uploadBytes(owner, bytes, { name: 'plan.bin', private: true })
  expect(Buffer.from(await downloadBytes(owner, cid)).equals(bytes)).toBe(true)
  const part = await openFile(owner, cid, { fromByte: 1_000_000, toByte: 1_000_010 })
  expect(Buffer.from(await new Response(part.stream).arrayBuffer())).toEqual(bytes.subarray(1_000_000, 1_000_010))
  for (const other of [stranger, nobody]) expect(await codeOf(downloadBytes(other, cid))).toBe('BLOCK_NOT_FOUND')
  expect(await getFileInfo(owner, cid)).toMatchObject({ isOwn: true, private: true })
  const [listed] = await Array.fromAsync(listFiles(owner))
  expect(listed).toMatchObject({ cid, private: true })
  const { url, expiresAt } = await createGatewayLink(owner, cid, { expiresInSeconds: 600 })
  expect(expiresAt - Date.now()).toBeGreaterThan(500_000)
  expect((await get(url)).bytes.equals(bytes)).toBe(true)
  const range = await get(url, { headers: { range: 'bytes=-5' } })
  expect([range.status, range.bytes]).toEqual([206, bytes.subarray(-5)])
  expect((await get(url.replace(/expires=(\d+)/, (_all, at) => `expires=${Number(at) + 1}`))).status).toBe(404)
  expect((await get(`${home.network.profile.gateway}/ipfs/${cid}`)).status).toBe(404)
  expect(await codeOf(createGatewayLink(stranger, cid))).toBe('NOT_FOUND')
})

test('reports a revoked or expired key, not missing content', async () => {
  const { apiKey, privateKey } = await createTestKey(home.network)
  const client = createClient({ network: home.network.profile, apiKey })
  const own = await uploadText(client, 'mine', { name: 'own.txt', private: true })
  const open = await uploadText(client, 'for all', { name: 'open.txt' })
  const next = await createTestKey(home.network, privateKey)
  const other = createClient({ network: home.network.profile, apiKey: next.apiKey })
  for (const { id } of await listApiKeys(other)) if (apiKey.includes(id)) await revokeApiKey(other, id)
  expect(await codeOf(downloadBytes(client, own.cid))).toBe('API_KEY_REVOKED')
  expect(await codeOf(Array.fromAsync(listDirectory(client, own.cid)))).toBe('API_KEY_REVOKED')
  const run = await home.cairn(['cat', own.cid], { env: { CAIRN_API_KEY: apiKey } })
  expect([run.code, run.out, run.err]).toEqual([4, '', expect.stringContaining('API_KEY_REVOKED')])
  expect(new TextDecoder().decode(await downloadBytes(client, open.cid))).toBe('for all')
  expect(new TextDecoder().decode(await downloadBytes(other, own.cid))).toBe('mine')
})

test('an abort ends the request for a link', async () => {
  const { cid } = await uploadText(owner, 'signed too slowly', { private: true })
  const stop = new AbortController()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  // Only the signal of the request ends it: its time limit would, too, with another code.
  const fetch: typeof globalThis.fetch = (_input, init) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    if (init?.method !== 'POST') return globalThis.fetch(_input, init)
    stop.abort()
    return aborted
  }
  await expect(downloadBytes({ ...owner, fetch }, cid, { signal: stop.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  })
})

test('its owner lists, downloads and resumes a private folder', async () => {
  const folder = join(home.folder, 'secrets')
  mkdirSync(join(folder, 'docs', 'deep'), { recursive: true })
  const files = {
    'docs/a b%.txt': randomBytes(300),
    'docs/deep/big.bin': randomBytes(3_000_000),
    'c.txt': randomBytes(5),
  }
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  const { cid } = await uploadFolder(owner, folder, { private: true })
  const names = (await Array.fromAsync(listDirectory(owner, `${cid}/docs`))).map(({ name }) => name)
  expect(names).toEqual(['a b%.txt', 'deep'])
  expect(await codeOf(Array.fromAsync(listDirectory(stranger, cid)))).toBe('BLOCK_NOT_FOUND')
  const target = join(home.folder, 'downloaded')
  expect(await downloadFile(owner, cid, target)).toMatchObject({ files: 3 })
  for (const [name, bytes] of Object.entries(files)) expect(readFileSync(join(target, name)).equals(bytes)).toBe(true)
  // A partly downloaded file is fetched from its start, because single blocks of a private upload cannot be read.
  const again = join(home.folder, 'again.bin')
  writeFileSync(`${again}.part`, files['docs/deep/big.bin'].subarray(0, 1_000_000))
  await downloadFile(owner, `${cid}/docs/deep/big.bin`, again)
  expect(readFileSync(again).equals(files['docs/deep/big.bin'])).toBe(true)
  const { url } = await createGatewayLink(owner, `${cid}/docs/a b%.txt`)
  expect((await get(url)).bytes.equals(files['docs/a b%.txt'])).toBe(true)
})

test('requests a root known to be private with its link at once, and links follow a new upload', async () => {
  const asked: string[] = []
  const apiKey = owner.apiKey ?? ''
  const client = createClient({
    network: home.network.profile,
    apiKey,
    fetch: async (url, init) => {
      const answer = await fetch(url, init)
      const { pathname, searchParams } = new URL(String(url))
      const what = pathname.startsWith('/ipfs/') ? (searchParams.has('signature') ? 'signed' : 'plain') : pathname
      asked.push(`${what} ${answer.status}`)
      return answer
    },
  })
  const read = async (cid: string) => {
    asked.length = 0
    return Buffer.from(await downloadBytes(client, cid))
  }
  const bytes = randomBytes(1000)
  const upload = (isPrivate: boolean) => uploadBytes(owner, bytes, { name: 'known.bin', private: isPrivate })
  const { cid } = await upload(true)
  const first = ['plain 404', '/api/gateway-links 200', 'signed 200']
  expect((await read(cid)).equals(bytes)).toBe(true)
  expect(asked).toEqual(first)
  expect((await read(cid)).equals(bytes)).toBe(true)
  expect(asked).toEqual(['signed 200'])
  // The link ends with its upload; the next upload has another one.
  await deleteFile(owner, { cid })
  await upload(true)
  expect((await read(cid)).equals(bytes)).toBe(true)
  expect(asked).toEqual(['signed 404', '/api/gateway-links 200', 'signed 200'])
  await deleteFile(owner, { cid })
  expect(await codeOf(read(cid))).toBe('BLOCK_NOT_FOUND')
  expect(asked).toEqual(['signed 404', '/api/gateway-links 404'])
  await upload(true)
  expect((await read(cid)).equals(bytes)).toBe(true)
  expect(asked).toEqual(first)
  // Public content needs no link.
  await deleteFile(owner, { cid })
  await upload(false)
  expect((await read(cid)).equals(bytes)).toBe(true)
  expect(asked).toEqual(['signed 200'])
})

test('a private folder too large for one response is downloaded file by file, by its paths', async () => {
  const folder = join(home.folder, 'many')
  mkdirSync(join(folder, 'sub'), { recursive: true })
  writeFileSync(join(folder, 'sub', 'one.txt'), 'one')
  writeFileSync(join(folder, 'two.txt'), 'two')
  const { cid } = await uploadFolder(owner, folder, { private: true })
  const { gateway } = home.network.profile
  const asked: string[] = []
  // The single response for the whole folder is refused, as if it broke off.
  const line = createServer(async (request, response) => {
    asked.push(request.url ?? '')
    if (request.url?.includes('dag-scope=all')) return void response.destroy()
    const answer = await fetch(`${gateway}${request.url}`, { headers: { accept: request.headers.accept ?? '' } })
    const {
      'content-encoding': _e,
      'content-length': _l,
      'transfer-encoding': _t,
      ...headers
    } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, headers)
    if (answer.body === null) response.end()
    else Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response)
  })
  await new Promise<void>((done) => line.listen(0, '127.0.0.1', done))
  try {
    const url = `http://127.0.0.1:${(line.address() as AddressInfo).port}`
    // A gateway at another origin gets no link, so it finds nothing.
    const elsewhere = createClient({ network: { ...home.network.profile, gateway: url }, apiKey: owner.apiKey ?? '' })
    expect(await codeOf(downloadFile(elsewhere, cid, join(home.folder, 'none')))).toBe('BLOCK_NOT_FOUND')
    expect(asked.join()).not.toContain('signature')
    expect(existsSync(join(home.folder, 'none'))).toBe(false)
    // The service reports that its gateway is there.
    const api = createServer(async (request, response) => {
      const body = await Array.fromAsync(request as AsyncIterable<Buffer>)
      const answer = await fetch(`${home.network.profile.api}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
        body: Buffer.concat(body),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end((await answer.text()).replace(gateway, url))
    })
    await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
    try {
      const at = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
      const network = { ...home.network.profile, gateway: url, api: at }
      const target = join(home.folder, 'one-by-one')
      await downloadFile(createClient({ network, apiKey: owner.apiKey ?? '' }), cid, target)
      expect(readFileSync(join(target, 'sub', 'one.txt'), 'utf8')).toBe('one')
      expect(readFileSync(join(target, 'two.txt'), 'utf8')).toBe('two')
    } finally {
      api.close()
    }
  } finally {
    line.close()
  }
})

test('uploads in parts and CARs can be private', async () => {
  const bytes = randomBytes(9_000_000)
  const file = join(home.folder, 'film.bin')
  writeFileSync(file, bytes)
  const film = await uploadFile(owner, file, { private: true, resumable: createResumable() })
  expect(await codeOf(downloadBytes(nobody, film.cid))).toBe('BLOCK_NOT_FOUND')
  expect(Buffer.from(await downloadBytes(owner, film.cid)).equals(bytes)).toBe(true)
  const car = Buffer.concat(await Array.fromAsync(downloadCar(owner, film.cid), (piece) => piece.slice()))
  const copy = await uploadCar(stranger, car, { name: 'film.car', private: true })
  expect(copy.cid).toBe(film.cid)
  expect(Buffer.from(await downloadBytes(stranger, film.cid)).equals(bytes)).toBe(true)
  expect(await codeOf(downloadBytes(nobody, film.cid))).toBe('BLOCK_NOT_FOUND')
})

test('the command line uploads privately, reads it, and signs links', async () => {
  const { cairn, folder, network } = home
  const text = `secret ${randomBytes(8).toString('hex')}`
  writeFileSync(join(folder, 'note.txt'), text)
  const uploaded = await cairn(['upload', '--private', 'note.txt'])
  expect(uploaded.code, uploaded.err).toBe(0)
  expect(uploaded.out).toMatch(/^bafk\w+ {2}note\.txt {2}\d+ B {2}private\n$/)
  const cid = uploaded.out.split(' ', 1)[0] ?? ''
  expect(uploaded.err).toContain(`cairn gateway-link ${cid}`)
  expect((await cairn(['cat', cid])).out).toBe(text)
  expect((await cairn(['get', cid, '-o', 'copy.txt'])).code).toBe(0)
  expect(readFileSync(join(folder, 'copy.txt'), 'utf8')).toBe(text)
  expect((await cairn(['info', cid])).out).toContain('Private    yes')
  const listed = await cairn(['ls', '--long', '--search', 'note.txt', '--type', 'private'])
  expect(listed.out).toMatch(/ACCESS.*\n.*private.*note\.txt/)
  expect(JSON.parse((await cairn(['ls', '--json', '--search', 'note.txt'])).out)).toMatchObject({ cid, private: true })
  const quiet = await cairn(['gateway-link', cid, '--quiet', '--expires', '10m'])
  expect(quiet.out).toMatch(new RegExp(`^${network.profile.gateway}/ipfs/${cid}\\?expires=\\d+&signature=[\\w-]+\\n$`))
  expect(`${(await get(quiet.out.trim())).bytes}`).toBe(text)
  const link = JSON.parse((await cairn(['gateway-link', cid, '--json'])).out) as { url: string; expiresAt: string }
  expect(Date.parse(link.expiresAt) - Date.now()).toBeGreaterThan(3_500_000)
  writeFileSync(join(folder, 'open.txt'), `open ${randomBytes(8).toString('hex')}`)
  const open = JSON.parse((await cairn(['upload', 'open.txt', '--json'])).out) as { cid: string }
  expect((await cairn(['gateway-link', open.cid])).err).toContain('This upload is not private')
  expect((await cairn(['gateway-link', cid])).err).toContain('Anyone who has the link')
  expect((await cairn(['gateway-link', cid, '--expires', '8d'])).code).toBe(2)
  const unknown = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  expect((await cairn(['gateway-link', unknown])).code).toBe(3)
  const missing = await cairn(['gateway-link', cid, 'nope.txt'])
  expect([missing.code, missing.out, missing.err]).toEqual([3, '', expect.stringContaining('[PATH_NOT_FOUND]')])
  expect((await cairn(['ls', '--search', 'note.txt', '--type', 'public'])).err).toContain('No upload matches.')
  // Content that stays public is not called private without a notice.
  expect(uploaded.err).not.toContain('Anyone with the CID')
  const { id } = JSON.parse((await cairn(['ls', '--json', '--search', 'open.txt'])).out) as { id: string }
  const kept = await cairn(['upload', '--private', 'open.txt'])
  expect(kept.err).toContain('Anyone with the CID can still read it')
  expect(kept.err).toContain(`cairn rm ${id}`)
  const both = await cairn(['upload', '--private', '--encrypt', 'note.txt'])
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('cannot be combined')])
  mkdirSync(join(folder, 'box'))
  writeFileSync(join(folder, 'box', 'in.txt'), 'inside')
  const box = JSON.parse((await cairn(['upload', '--private', 'box', '--json'])).out) as { cid: string; url?: string }
  expect(box).toMatchObject({ private: true })
  expect(box.url).toBeUndefined()
  expect((await cairn(['ls', box.cid])).out).toContain('in.txt')
  const inside = await cairn(['gateway-link', box.cid, 'in.txt', '--quiet'])
  expect(`${(await get(inside.out.trim())).bytes}`).toBe('inside')
  expect((await get(inside.out.trim().replace('/in.txt', '/'))).status).toBe(404)
  expect((await cairn(['rm', cid, '--yes'])).code).toBe(0)
  expect((await get(quiet.out.trim())).status).toBe(404)
})
