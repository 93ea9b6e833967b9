// The peer's published SDK 0.4.7, unchanged, and our drop-in for it, against the local network: every call that storage
// serves, by the same tests.
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as dropIn from '@cairn/sdk/lighthouse'
import { importProfiles } from '@cairn/unixfs'
import { CarWriter } from '@ipld/car/writer'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

type Uploaded = { Name: string; Hash: string; Size: string }
type PublishedSdk = {
  getApiKey(publicKey: string, signedMessage: string): Promise<{ data: { apiKey: string } }>
  createWallet(password: string): Promise<{ data: { encryptedWallet: string } }>
  getBalance(apiKey: string): Promise<{ data: Record<string, number> }>
  getUploads(
    apiKey: string,
    lastKey?: string | null,
    fileType?: string,
  ): Promise<{
    data: { fileList: { id: string; cid: string; fileName: string; publicKey: string }[]; totalFiles: number }
  }>
  deleteFile(apiKey: string, id: string): Promise<{ data: { message: string } }>
  getFileInfo(cid: string): Promise<{ data: Record<string, unknown> }>
  getQuote(
    path: string,
    apiKey: string,
  ): Promise<{ data: { metaData: unknown[]; totalSize: number; dataLimit: number } }>
  upload(path: string, apiKey: string, options?: unknown, onProgress?: unknown): Promise<{ data: Uploaded }>
  uploadText(text: string, apiKey: string, name?: string, options?: unknown): Promise<{ data: Uploaded }>
  uploadBuffer(bytes: Uint8Array | Uint16Array | string, apiKey: string, options?: unknown): Promise<{ data: Uploaded }>
  uploadCAR(path: string, apiKey: string, options?: unknown): Promise<{ data: Uploaded }>
}

const require = createRequire(import.meta.url)
type Decrypting = { decryptFile(cid: string, key: string): Promise<ArrayBuffer> }
const published: { default: PublishedSdk & Decrypting } = require('@lighthouse-web3/sdk')
const hosts: { lighthouseConfig: Record<string, string> } = require('@lighthouse-web3/sdk/dist/lighthouse.config.js')

/** Uploads as a program without types does. */
async function uploadUntyped(call: unknown, ...values: unknown[]): Promise<Uploaded> {
  if (typeof call !== 'function') throw new TypeError('no function')
  const { data }: { data: Uploaded } = await Reflect.apply(call, undefined, values)
  return data
}

describe.each([
  { who: 'the published SDK', sdk: published.default, config: hosts.lighthouseConfig, isOurs: false },
  {
    who: 'our drop-in',
    sdk: dropIn.default,
    config: dropIn.lighthouseConfig,
    isOurs: true,
  },
])('$who', ({ sdk, config, isOurs }) => {
  let network: TestNetwork
  let apiKey = ''
  let folder = ''
  const account = privateKeyToAccount(generatePrivateKey())

  async function fetchBytes(cid: string): Promise<Buffer> {
    const answer = await fetch(`${network.profile.gateway}/ipfs/${cid}`)
    expect(answer.status).toBe(200)
    return Buffer.from(await answer.arrayBuffer())
  }

  beforeAll(async () => {
    network = await createTestNetwork()
    Object.assign(config, {
      lighthouseAPI: network.profile.api,
      lighthouseNode: network.profile.upload,
      lighthouseGateway: network.profile.gateway,
    })
    folder = mkdtempSync(join(tmpdir(), 'cairn-published-'))
    const message: unknown = await (
      await fetch(`${network.profile.api}/api/auth/get_message?publicKey=${account.address}`)
    ).json()
    if (typeof message !== 'string') throw new Error('get_message must answer a bare string')
    expect(message).toMatch(/^Please prove you are the owner/)
    const answer = await sdk.getApiKey(account.address, await account.signMessage({ message }))
    apiKey = answer.data.apiKey
  })

  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  test('getApiKey returns plain text', () => {
    expect(apiKey).toMatch(/^\S{20,}$/)
  })

  test('createWallet returns a keystore', async () => {
    const { data } = await sdk.createWallet('correct horse')
    expect(JSON.parse(data.encryptedWallet)).toMatchObject({ version: 3 })
  })

  test('getBalance counts in bytes, and an invalid key is 401', async () => {
    const { data } = await sdk.getBalance(apiKey)
    expect(data['dataLimit']).toBeGreaterThan(0)
    expect(data['dataUsed']).toBe(0)
    await expect(sdk.getBalance('nonsense')).rejects.toMatchObject({ message: 'Request failed with status code 401' })
  })

  describe('upload', () => {
    test('a file by chunked body, with progress', async () => {
      const path = join(folder, 'hello world.txt')
      writeFileSync(path, 'hello world')
      const progress: unknown[] = []
      const { data } = await sdk.upload(path, apiKey, 1, (step) => progress.push(step))
      expect(data).toEqual({
        Name: 'hello world.txt',
        Hash: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
        Size: '11',
      })
      expect(progress.length).toBeGreaterThan(0)
      expect((await fetchBytes(data.Hash)).toString()).toBe('hello world')
    })

    test('a file with cid-version 0', async () => {
      const path = join(folder, 'v0.txt')
      writeFileSync(path, 'hello world')
      const { data } = await sdk.upload(path, apiKey, { cidVersion: 0 })
      expect(data.Hash).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
    })

    test('a file of several chunks and an empty file', async () => {
      const bytes = randomBytes(1_000_000)
      writeFileSync(join(folder, 'big.bin'), bytes)
      const big = await sdk.upload(join(folder, 'big.bin'), apiKey)
      expect(await fetchBytes(big.data.Hash)).toEqual(bytes)
      writeFileSync(join(folder, 'empty'), '')
      const empty = await sdk.upload(join(folder, 'empty'), apiKey)
      expect(empty.data.Hash).toBe('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
    })

    describe('a folder', () => {
      const here = process.cwd()
      beforeAll(() => {
        mkdirSync(join(folder, 'few', 'sub'), { recursive: true })
        writeFileSync(join(folder, 'few', 'f1'), 'one')
        writeFileSync(join(folder, 'few', 'sub', 'f2'), 'two')
        process.chdir(folder)
      })
      afterAll(() => process.chdir(here))

      // The client mangles names by the spelling of the folder; the upload must still come back as one folder.
      test.each(['few', './few', './few/'])('given as %s is one object, its files below it', async (spelling) => {
        const { data } = await sdk.upload(spelling, apiKey)
        expect(Object.keys(data)).toEqual(['Name', 'Hash', 'Size'])
        expect(await (await fetch(`${network.profile.gateway}/ipfs/${data.Hash}/f1`)).text()).toBe('one')
        expect(await (await fetch(`${network.profile.gateway}/ipfs/${data.Hash}/sub/f2`)).text()).toBe('two')
      })

      if (!isOurs)
        test('given as few/ has every file named few by the client, and is rejected, not half stored', async () => {
          const before = (await sdk.getUploads(apiKey)).data.totalFiles
          await expect(sdk.upload('few/', apiKey)).rejects.toThrow('400')
          expect((await sdk.getUploads(apiKey)).data.totalFiles).toBe(before)
        })
    })

    test('without a valid key fails, and stores nothing', async () => {
      await expect(sdk.upload(join(folder, 'hello world.txt'), 'nonsense')).rejects.toMatchObject({
        message: 'Error: Request failed with status code 401',
      })
    })
  })

  test('uploadText and uploadBuffer', async () => {
    const text = await sdk.uploadText('grüße', apiKey, 'note.txt')
    expect(text.data).toMatchObject({ Name: 'note.txt' })
    expect((await fetchBytes(text.data.Hash)).toString()).toBe('grüße')
    const buffer = await sdk.uploadBuffer(Buffer.from([1, 2, 3]), apiKey)
    expect(await fetchBytes(buffer.data.Hash)).toEqual(Buffer.from([1, 2, 3]))
    await expect(sdk.uploadText('x', 'nonsense')).rejects.toThrow('Authentication failed')
  })

  test('uploadText stores bytes, and uploadBuffer a text and the bytes of any view', async () => {
    const bytes = await uploadUntyped(sdk.uploadText, new Uint8Array([1, 2, 3]), apiKey)
    expect(await fetchBytes(bytes.Hash)).toEqual(Buffer.from([1, 2, 3]))
    const text = await sdk.uploadBuffer('grüße', apiKey)
    expect((await fetchBytes(text.data.Hash)).toString()).toBe('grüße')
    const view = await sdk.uploadBuffer(new Uint16Array([0x0201, 0x0403]), apiKey)
    expect(await fetchBytes(view.data.Hash)).toEqual(Buffer.from([1, 2, 3, 4]))
    // Programs pass the type of the file here.
    const typed = await uploadUntyped(sdk.uploadBuffer, Buffer.from('typed'), apiKey, 'text/plain')
    expect((await fetchBytes(typed.Hash)).toString()).toBe('typed')
  })

  test('upload takes the arguments of older versions', async () => {
    const path = join(folder, 'older.txt')
    writeFileSync(path, 'as before')
    for (const rest of [[false], [false, null], [false, { num_copies: 2 }], [false, () => undefined]]) {
      const { Hash } = await uploadUntyped(sdk.upload, path, apiKey, ...rest)
      expect((await fetchBytes(Hash)).toString()).toBe('as before')
    }
  })

  test('uploadCAR keeps the root', async () => {
    const bytes = randomBytes(5000)
    const cid = CID.createV1(raw.code, await sha256.digest(bytes))
    const { writer, out } = CarWriter.create([cid])
    const written = (async () => {
      const parts: Uint8Array[] = []
      for await (const part of out) parts.push(part)
      return Buffer.concat(parts)
    })()
    await writer.put({ cid, bytes })
    await writer.close()
    const path = join(folder, 'block.car')
    writeFileSync(path, await written)
    const { data } = await sdk.uploadCAR(path, apiKey)
    expect(data.Hash).toBe(cid.toString())
    expect(await fetchBytes(data.Hash)).toEqual(bytes)
  })

  test('getQuote returns sizes and the remaining storage', async () => {
    const { data } = await sdk.getQuote(join(folder, 'hello world.txt'), apiKey)
    expect(data.metaData).toEqual([{ fileSize: 11, mimeType: 'text/plain', fileName: 'hello world.txt' }])
    expect(data.totalSize).toBe(11)
  })

  test('getFileInfo returns known files, and rejects unknown ones', async () => {
    const { data } = await sdk.uploadText('info of me', apiKey, 'info.txt')
    const info = await sdk.getFileInfo(data.Hash)
    expect(info.data).toMatchObject({
      cid: data.Hash,
      fileName: 'info.txt',
      fileSizeInBytes: '10',
      encryption: false,
      mimeType: 'text/plain',
      txHash: '',
    })
    await expect(sdk.getFileInfo('QmNonsense')).rejects.toThrow('Invalid CID')
    await expect(sdk.getFileInfo('bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq')).rejects.toMatchObject({
      message: 'HTTP error! status: 404',
    })
  })

  test('getUploads pages by the last id, newest first; deleteFile removes one', async () => {
    const fresh = privateKeyToAccount(generatePrivateKey())
    const message: unknown = await (
      await fetch(`${network.profile.api}/api/auth/get_message?publicKey=${fresh.address}`)
    ).json()
    const key = (await sdk.getApiKey(fresh.address, await fresh.signMessage({ message: String(message) }))).data.apiKey
    const cids: string[] = []
    for (let i = 0; i < 5; i++) cids.unshift((await sdk.uploadText(`page ${i}`, key, `p${i}.txt`)).data.Hash)
    const all = (await sdk.getUploads(key)).data
    expect(all.totalFiles).toBe(5)
    expect(all.fileList.map((row) => row.cid)).toEqual(cids)
    expect(all.fileList[0]?.publicKey).toBe(fresh.address.toLowerCase())
    const last = all.fileList[1]
    const next = (await sdk.getUploads(key, last?.id)).data
    expect(next.fileList.map((row) => row.cid)).toEqual(cids.slice(2))
    const first = all.fileList[0]
    if (first === undefined) throw new Error('no rows')
    expect((await sdk.deleteFile(key, first.id)).data.message).toBe('File deleted successfully.')
    expect((await sdk.getUploads(key)).data.totalFiles).toBe(4)
    await expect(sdk.deleteFile(key, first.id)).rejects.toMatchObject({
      message: 'Request failed with status code 404',
    })
  })

  // The drop-in has no function yet for future services of the key nodes.
  if (!isOurs)
    test('decryptFile opens what was encrypted in the published layout', async () => {
      const key = randomBytes(32).toString('hex')
      const [salt, iv] = [randomBytes(16), randomBytes(12)]
      const cipher = createCipheriv('aes-256-gcm', pbkdf2Sync(key, salt, 250_000, 32, 'sha256'), iv)
      const stored = Buffer.concat([salt, iv, cipher.update('open me'), cipher.final(), cipher.getAuthTag()])
      const { data } = await sdk.uploadBuffer(stored, apiKey)
      expect(Buffer.from(await published.default.decryptFile(data.Hash, key)).toString()).toBe('open me')
    })

  test('the import profile of published clients is Kubo’s with cid-version 1', () => {
    expect(importProfiles.v1).toMatchObject({ cidVersion: 1, rawLeaves: true, chunkSizeBytes: 262_144, maxLinks: 174 })
  })
})
