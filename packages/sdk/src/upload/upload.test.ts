import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { encodeCarHeader } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPath } from '#platform/local-files'
import { startFaultyProxy } from '../../../../tests/faulty-proxy.ts'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { getUsage } from '../account/usage.ts'
import { type Client, createClient } from '../client.ts'
import { downloadFile } from '../download/download-file.ts'
import { listDirectory } from '../download/list-directory.ts'
import { downloadBytes } from '../download/open-file.ts'
import { listFilesPage } from '../files/list-files.ts'
import { openKeySession } from '../keys/open-session.ts'
import { authorizeOnce } from '../payments/one-time.ts'
import type { Progress } from '../progress.ts'
import { computeCid } from './compute-cid.ts'
import { createResumable } from './resumable.ts'
import type { UploadOptions } from './send-files.ts'
import { uploadCar } from './upload-car.ts'
import {
  uploadEncrypted,
  uploadEncryptedBytes,
  uploadEncryptedStream,
  uploadEncryptedText,
} from './upload-encrypted.ts'
import { uploadBytes, uploadFile, uploadStream, uploadText } from './upload-file.ts'
import { uploadFolder } from './upload-folder.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  // The indexer does not exist, so announcements fail, and their list is public.
  network = await createTestNetwork({ CAIRN_IPNI_INDEXERS: 'http://127.0.0.1:9', CAIRN_IPNI_DEFAULT: 'off' })
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-sdk-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function bytesOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = i * 31 + (i >> 8)
  return bytes
}

test('a signature for one upload is spent if the response is lost, and the error says so', async () => {
  const { privateKey } = await createTestKey(network)
  const keySession = await openKeySession(client, { privateKey })
  for (const upload of [uploadText, uploadEncryptedText]) {
    let isLost = false
    await using proxy = await startFaultyProxy(network.profile.upload, () => {
      if (isLost) return undefined
      isLost = true
      return { kind: 'lose answer' }
    })
    const apiKey = await authorizeOnce(client, { privateKey })
    const once = createClient({ network: { ...network.profile, upload: proxy.url }, apiKey, keySession })
    if (upload === uploadEncryptedText) {
      // Its CID is known, and that it is stored.
      expect(await upload(once, 'once', { name: 'once' })).toMatchObject({ name: 'once' })
      continue
    }
    await expect(upload(once, 'once', { name: 'once' })).rejects.toMatchObject({
      code: 'CHALLENGE_EXPIRED',
      message: 'The response of the service was lost, and the signature for this upload was used',
      cause: { code: 'NETWORK_ERROR' },
    })
  }
  // The service was not reached, so the signature is still valid.
  let attempts = 0
  await using shaky = await startFaultyProxy(network.profile.upload, () =>
    attempts++ === 0 ? { kind: 'cut request', afterBytes: 0 } : undefined,
  )
  const next = createClient({
    network: { ...network.profile, upload: shaky.url },
    apiKey: await authorizeOnce(client, { privateKey }),
  })
  expect(await uploadText(next, 'once', { name: 'once' })).toMatchObject({ name: 'once' })
})

test('an encrypted upload whose response is lost is stored once, even if its API key may not read files', async () => {
  const { apiKey, privateKey } = await createTestKey(network, undefined, { scopes: ['files:write'] })
  const keySession = await openKeySession(client, { privateKey })
  let faults = 0
  await using proxy = await startFaultyProxy(network.profile.upload, () =>
    faults++ === 0 ? { kind: 'lose answer' } : undefined,
  )
  const writer = createClient({ network: { ...network.profile, upload: proxy.url }, apiKey, keySession })
  const { cid } = await uploadEncryptedText(writer, 'written by a device that reads nothing', { name: 'note' })
  expect(proxy.requests).toBe(1)
  const reader = createClient({ network: network.profile, ...(await createTestKey(network, privateKey)) })
  const { fileList } = await listFilesPage(reader)
  expect(fileList.map((file) => file.cid)).toEqual([cid])
})

test('a folder of small files, large ones, links and empty folders has one CID in every transport', async () => {
  const mixed = join(folder, 'mixed')
  const sizes = new Map<string, number>()
  for (const [at, name] of Array.from({ length: 1500 }, (_, at) => `d${at % 3}/ü-${at}`).entries()) {
    mkdirSync(join(mixed, `d${at % 3}`), { recursive: true })
    // Around the size of one read; most of them fit many times into one send.
    const large = [256 * 1024, 256 * 1024 + 1, 700_000][Math.floor(at / 400) % 3] ?? 0
    const size = at % 400 === 399 ? large : (at * 97) % 5000
    writeFileSync(join(mixed, name), bytesOf(size))
    sizes.set(name, size)
    if (at % 7 === 0) symlinkSync(`ü-${at}`, join(mixed, `${name}-link`))
    if (at % 100 === 0) mkdirSync(join(mixed, `${name}-empty`))
  }
  const plain = await uploadFolder(client, mixed)
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  expect(plain.sizeBytes).toBe(total)
  const inParts = await uploadFolder(client, mixed, { resumable: createResumable() })
  expect(inParts).toEqual(plain)
  const target = join(folder, 'mixed-back')
  await downloadFile(client, plain.cid, target)
  for (const [name, size] of sizes) {
    expect(Buffer.compare(readFileSync(join(target, name)), bytesOf(size)), name).toBe(0)
  }
  // With this profile, small files are larger than their bytes.
  const older = await uploadFolder(client, mixed, { cidVersion: 0 })
  expect(older.sizeBytes).toBe(total)
})

test('a text, bytes, a Blob, a File and a stream of the same content have one CID', async () => {
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const bytes = new TextEncoder().encode('hello world')
  expect(await uploadText(client, 'hello world', { name: 'hello.txt' })).toEqual({
    cid,
    name: 'hello.txt',
    sizeBytes: 11,
    dagSizeBytes: 11,
  })
  expect((await uploadBytes(client, bytes)).cid).toBe(cid)
  expect((await uploadFile(client, new Blob([bytes]))).cid).toBe(cid)
  expect(await uploadFile(client, new File([bytes], 'ü "q".txt'))).toMatchObject({ cid, name: 'ü "q".txt' })
  await expect(uploadFile(client, new File([bytes], 'two\nlines'))).rejects.toMatchObject({ code: 'INVALID_PATH' })
  async function* pieces() {
    yield bytes.subarray(0, 3)
    yield bytes.subarray(3)
  }
  expect((await uploadStream(client, pieces())).cid).toBe(cid)
})

test.each([0, 1, 262_144, 262_145, 3_000_000])(
  'a file of %i bytes survives upload and download, in both versions',
  async (length) => {
    const path = join(folder, `file-${length}`)
    const bytes = bytesOf(length)
    writeFileSync(path, bytes)
    for (const cidVersion of [0, 1] as const) {
      const { cid, sizeBytes } = await uploadFile(client, path, { cidVersion })
      expect(cid.startsWith(cidVersion === 0 ? 'Qm' : 'b')).toBe(true)
      expect(sizeBytes).toBe(length)
      expect(Buffer.compare(await downloadBytes(client, cid), bytes)).toBe(0)
    }
  },
)

test('a text is not a path for calls that take bytes', async () => {
  const path = join(folder, 'secret.txt')
  writeFileSync(path, 'a file of the machine')
  for (const upload of [uploadBytes, uploadStream])
    await expect(Reflect.apply(upload, undefined, [client, path])).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

test('what has no bytes is an error, and is never stored as an empty file or as zeros', async () => {
  const wrong = [undefined, null, 5, { a: 1 }, new ArrayBuffer(3), new Date(0)]
  const uploads = [uploadText, uploadBytes, uploadFile, uploadStream, uploadCar]
  const encrypted = [uploadEncryptedText, uploadEncryptedBytes, uploadEncrypted, uploadEncryptedStream]
  for (const upload of [...uploads, ...encrypted])
    for (const content of wrong)
      await expect(Reflect.apply(upload, undefined, [client, content])).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringMatching(/^The content must be /),
      })
  for (const content of wrong)
    await expect(Reflect.apply(uploadFolder, undefined, [client, [{ path: 'a/b', content }]])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/^The content of a\/b must be /),
    })
  for (const source of [undefined, 5, {}, ['a.txt', 'b.txt']])
    await expect(Reflect.apply(uploadFolder, undefined, [client, source])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  for (const upload of [uploadEncryptedBytes, uploadEncryptedStream])
    await expect(Reflect.apply(upload, undefined, [client, 'a text'])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
})

test('a stream of text is an error, and the stream is closed', async () => {
  const path = join(folder, 'text.txt')
  writeFileSync(path, 'grüße')
  const { apiKey, privateKey } = await createTestKey(network)
  const keySession = await openKeySession(client, { privateKey })
  const owner = createClient({ network: network.profile, apiKey, keySession })
  for (const upload of [uploadStream, uploadCar, uploadEncryptedStream]) {
    const stream = createReadStream(path, 'utf8')
    await expect(upload(owner, stream)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'The stream must yield bytes, but yields a text',
    })
    expect(stream.destroyed).toBe(true)
  }
  await expect(computeCid(createReadStream(path, 'utf8'))).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

test('uploads a stream of a browser that does not iterate over streams, and bytes of another realm', async () => {
  const bytes = new TextEncoder().encode('hello world')
  const stream = new Blob([bytes]).stream()
  Reflect.defineProperty(stream, Symbol.asyncIterator, { value: undefined })
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  expect((await uploadStream(client, stream)).cid).toBe(cid)
  const foreign: Uint8Array = runInNewContext('new Uint8Array(bytes)', { bytes: [...bytes] })
  expect(foreign instanceof Uint8Array).toBe(false)
  expect((await uploadBytes(client, foreign)).cid).toBe(cid)
})

test('rejects a file name with a slash before a byte is sent, unless folders are wanted', async () => {
  await expect(uploadText(client, 'one', { name: 'a/b' })).rejects.toMatchObject({
    code: 'INVALID_PATH',
    details: { fileName: 'a/b' },
  })
  const { cid } = await uploadText(client, 'one', { name: 'a/b', wrapWithDirectory: true })
  expect(new TextDecoder().decode(await downloadBytes(client, `${cid}/a/b`))).toBe('one')
})

test('announces content on request, whichever way it is sent', async () => {
  const upload = async (text: string, options: UploadOptions) => {
    const { cid } = await uploadText(client, text, options)
    return createHash('sha256').update(CID.parse(cid).multihash.bytes).digest('base64').replace(/=+$/, '')
  }
  const wanted = [
    await upload('announced', { announce: true }),
    await upload('announced in parts', { announce: true, resumable: createResumable() }),
  ]
  await upload('not announced', { announce: false })
  await upload('not mentioned', {})
  type Ad = { PreviousID?: { '/': string }; ContextID: { '/': { bytes: string } } }
  const listAnnounced = async () => {
    const contexts: string[] = []
    const head = await fetch(`${network.profile.api}/ipni/v1/ad/head`)
    let cid = head.status === 200 ? ((await head.json()) as { head: { '/': string } }).head['/'] : undefined
    while (cid !== undefined) {
      const ad: Ad = await (await fetch(`${network.profile.api}/ipni/v1/ad/${cid}`)).json()
      contexts.push(ad.ContextID['/'].bytes)
      cid = ad.PreviousID?.['/']
    }
    return contexts.sort()
  }
  await expect.poll(listAnnounced, { timeout: 25_000, interval: 500 }).toEqual(wanted.sort())
})

test('supports the newer import profile and a wrapping folder', async () => {
  const bytes = bytesOf(2_500_000)
  const plain = await uploadBytes(client, bytes, { name: 'x' })
  const newer = await uploadBytes(client, bytes, { name: 'x', profile: 'unixfs-v1-2025' })
  expect(newer.cid).not.toBe(plain.cid)
  expect(Buffer.compare(await downloadBytes(client, newer.cid), bytes)).toBe(0)
  const wrapped = await uploadBytes(client, bytes, { name: 'x', wrapWithDirectory: true })
  expect(Buffer.compare(await downloadBytes(client, `${wrapped.cid}/x`), bytes)).toBe(0)
})

describe('folders', () => {
  test('come from disk, with odd names', async () => {
    const top = join(folder, 'top')
    mkdirSync(join(top, 'deep', 'er'), { recursive: true })
    for (const name of ['a "quoted" name', 'ünï côde 🎉', '100%+a.txt', "it's", 'deep/er/leaf', '.hidden'])
      writeFileSync(join(top, name), name)
    const { cid, name, sizeBytes } = await uploadFolder(client, top)
    expect(name).toBe('top')
    expect(sizeBytes).toBeGreaterThan(50)
    const leaf = await downloadBytes(client, `${cid}/deep/er/leaf`)
    expect(new TextDecoder().decode(leaf)).toBe('deep/er/leaf')
    expect(new TextDecoder().decode(await downloadBytes(client, `${cid}/100%+a.txt`))).toBe('100%+a.txt')
    expect(new TextDecoder().decode(await downloadBytes(client, `${cid}/ünï côde 🎉`))).toBe('ünï côde 🎉')
    // Another name in listings does not change the content.
    expect(await uploadFolder(client, top, { name: 'other' })).toMatchObject({ cid, name: 'other' })
    await expect(uploadFolder(client, top, { name: 'o/ther' })).rejects.toMatchObject({ code: 'INVALID_PATH' })
  })

  test('have the CID of `ipfs add -r`, with symbolic links that stay links, and empty folders', async () => {
    const top = join(folder, 'linked')
    mkdirSync(join(top, 'empty', 'er'), { recursive: true })
    mkdirSync(join(top, 'full'))
    writeFileSync(join(top, 'full', 'leaf'), 'leaf')
    symlinkSync('full/leaf', join(top, 'link'))
    symlinkSync('..', join(top, 'full', 'up'))
    const uploaded = await uploadFolder(client, top)
    expect(uploaded).toMatchObject({ cid: 'bafybeibqlfzy6g37jlc4qvtmouftcqo6nfh56mfhf24xeofovu22rnenfu', sizeBytes: 4 })
    expect((await uploadFolder(client, top, { cidVersion: 0 })).cid).toBe(
      'Qma1USjqEw8fUtqXYdXgUk3vCEQ3mWCdQUefXLjybhJwtp',
    )
    expect((await uploadFolder(client, top, { name: 'renamed' })).cid).toBe(uploaded.cid)
    const inParts = { resumable: createResumable(), wrapWithDirectory: true }
    const wrapped = await uploadFolder(client, top, inParts)
    expect(Buffer.from(await downloadBytes(client, `${wrapped.cid}/linked/full/leaf`)).toString()).toBe('leaf')
    const back = join(folder, 'linked back')
    await downloadFile(client, uploaded.cid, back)
    expect(readdirSync(back, { recursive: true }).toSorted()).toEqual(readdirSync(top, { recursive: true }).toSorted())
    expect(readlinkSync(join(back, 'full', 'up'))).toBe('..')
    // Encrypted folders and costs concern files only.
    const found = await openPath(top)
    if (found.kind === 'file') throw new Error('a folder')
    const names: string[] = []
    const leftOut: string[] = []
    for await (const { name } of found.files({ onLeftOut: (path) => leftOut.push(path) })) names.push(name)
    expect(names).toEqual(['linked/full/leaf'])
    expect(leftOut).toEqual(['linked/empty/er', 'linked/full/up', 'linked/link'])
  })

  test.skipIf(process.platform === 'win32')('report the sockets that they omit', async () => {
    const top = join(folder, 'with socket')
    mkdirSync(join(top, 'run'), { recursive: true })
    writeFileSync(join(top, 'leaf'), 'leaf')
    const socket = createServer().listen(join(top, 'run', 's'))
    await once(socket, 'listening')
    const leftOut: string[] = []
    await uploadFolder(client, top, { onLeftOut: (path) => leftOut.push(path) }).finally(() => socket.close())
    expect(leftOut).toEqual(['with socket/run/s'])
  })

  test('a link whose target is not text is an error', async () => {
    const top = join(folder, 'odd link')
    mkdirSync(top)
    symlinkSync(Buffer.from([0x61, 0xff]), join(top, 'link'))
    await expect(uploadFolder(client, top)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  })

  test('come from entries and from files; the same content gives the same CID', async () => {
    const entries = [
      { path: 'a.txt', content: 'one' },
      { path: 'b/c.txt', content: new TextEncoder().encode('two') },
    ]
    const fromEntries = await uploadFolder(client, entries, { name: 'f' })
    const files = [new File(['one'], 'a.txt'), new File(['two'], 'c.txt')]
    Object.defineProperty(files[0], 'webkitRelativePath', { value: 'f/a.txt' })
    Object.defineProperty(files[1], 'webkitRelativePath', { value: 'f/b/c.txt' })
    expect(await uploadFolder(client, files)).toMatchObject({ cid: fromEntries.cid, name: 'f' })
    // A name replaces that of the chosen folder, as it does for one on disk.
    expect(await uploadFolder(client, files, { name: 'other' })).toMatchObject({ cid: fromEntries.cid, name: 'other' })
    await expect(uploadFolder(client, files, { name: 'o/ther' })).rejects.toMatchObject({ code: 'INVALID_PATH' })
  })

  test('from files and from entries can have empty folders, with the CIDs of those on disk', async () => {
    const top = join(folder, 'named')
    mkdirSync(join(top, 'no', 'files'), { recursive: true })
    writeFileSync(join(top, 'a.txt'), 'one')
    const { cid } = await uploadFolder(client, top)
    const none = { type: 'application/x-directory' }
    const files = [new File(['one'], 'a.txt'), new File([], 'files', none)]
    Object.defineProperty(files[0], 'webkitRelativePath', { value: 'f/a.txt' })
    Object.defineProperty(files[1], 'webkitRelativePath', { value: 'f/no/files' })
    expect(await uploadFolder(client, files)).toMatchObject({ cid, sizeBytes: 3 })
    expect((await uploadFolder(client, files, { resumable: createResumable() })).cid).toBe(cid)
    const entries = [
      { path: 'a.txt', content: 'one' },
      { path: 'no/files', content: new Blob([], none) },
    ]
    expect((await uploadFolder(client, entries)).cid).toBe(cid)
    const alone = new File([], 'alone', none)
    Object.defineProperty(alone, 'webkitRelativePath', { value: 'alone' })
    expect(await uploadFolder(client, [alone])).toMatchObject({
      cid: 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354',
      name: 'alone',
    })
  })

  test('reject two files of one name before the second is sent', async () => {
    const entries = [
      { path: 'a', content: 'x' },
      { path: './a', content: 'y' },
    ]
    await expect(uploadFolder(client, entries)).rejects.toMatchObject({
      code: 'DUPLICATE_NAME',
      message: 'Duplicate file name found: folder/a',
    })
  })

  test('can be empty, with the CIDs of `ipfs add -r`', async () => {
    const top = join(folder, 'empty')
    mkdirSync(top)
    const cid = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
    expect(await uploadFolder(client, top)).toMatchObject({ cid, name: 'empty', sizeBytes: 0 })
    expect(await uploadFolder(client, top, { name: 'renamed' })).toMatchObject({ cid, name: 'renamed' })
    expect(await uploadFolder(client, top, { cidVersion: 0 })).toMatchObject({
      cid: 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    })
    expect(await uploadFolder(client, top, { resumable: createResumable() })).toMatchObject({ cid })
    const wrapped = await uploadFolder(client, top, { wrapWithDirectory: true })
    await downloadFile(client, wrapped.cid, join(folder, 'empty wrapped'))
    expect(readdirSync(join(folder, 'empty wrapped'))).toEqual(['empty'])
    expect(await downloadFile(client, cid, join(folder, 'empty back'))).toMatchObject({ files: 0, sizeBytes: 0 })
    expect(readdirSync(join(folder, 'empty back'))).toEqual([])
  })

  test('without an entry, or with names that leave the folder, are rejected', async () => {
    await expect(uploadFolder(client, [])).rejects.toMatchObject({ code: 'NO_FILE' })
    await expect(uploadFolder(client, [{ path: '../x', content: '' }])).rejects.toMatchObject({ code: 'INVALID_PATH' })
  })

  test('keep the names of files exactly', async () => {
    const names = [
      'a%22b',
      '%0d%0A',
      '100%.txt',
      'two\\\\slashes',
      'ends\\',
      'quo"te;x=".txt',
      "it's (*).txt",
      'höh\u202ee ’.txt',
    ]
    const entries = names.map((name) => ({ path: name, content: name }))
    // The CID is compared with that of the same names on this machine.
    const { cid } = await uploadFolder(client, entries)
    const found = await Array.fromAsync(listDirectory(client, cid), ({ name }) => name)
    expect(found.toSorted()).toEqual(names.toSorted())
    for (const name of names) expect((await uploadText(client, 'x', { name })).name).toBe(name)
    expect((await uploadText(client, 'x', { name: '"half \ud800' })).name).toBe('"half \ufffd')
  })

  test('report control characters in a name', async () => {
    for (const name of ['a\nb', 'a\u001b[31mb', 'a\u2028b', 'a\u0085b', 'a\0b']) {
      const refusal = { code: 'INVALID_PATH', message: 'A file name contains control characters' }
      await expect(uploadText(client, 'x', { name })).rejects.toMatchObject(refusal)
    }
  })

  test('send a thousand small files in one request', async () => {
    const top = join(folder, 'many')
    mkdirSync(top)
    for (let i = 0; i < 1000; i++) writeFileSync(join(top, `f${i}`), `content ${i}`)
    const { cid } = await uploadFolder(client, top)
    expect(new TextDecoder().decode(await downloadBytes(client, `${cid}/f999`))).toBe('content 999')
  })
})

test('progress grows to the total, in one form', async () => {
  const steps: Progress[] = []
  await uploadBytes(client, bytesOf(5_000_000), { onProgress: (step) => steps.push(step) })
  const last = steps.at(-1)
  expect(last).toMatchObject({ phase: 'send', bytes: 5_000_000, total: 5_000_000, remainingMs: 0 })
  expect(steps.every((step, i) => i === 0 || step.bytes >= (steps[i - 1]?.bytes ?? 0))).toBe(true)
})

test('an aborted upload leaves nothing', async () => {
  const stop = new AbortController()
  async function* endless() {
    for (;;) {
      yield bytesOf(65_536)
      stop.abort()
    }
  }
  const before = { usage: await getUsage(client), rows: (await listFilesPage(client)).totalFiles }
  await expect(uploadStream(client, endless(), { signal: stop.signal })).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await getUsage(client)).toEqual(before.usage)
  expect((await listFilesPage(client)).totalFiles).toBe(before.rows)
})

test('reports the error of a failing source, not that of the connection it breaks', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield bytesOf(10)
    throw new RangeError('the sensor died')
  }
  await expect(uploadStream(client, broken())).rejects.toThrow('the sensor died')
  await expect(uploadFile(client, join(folder, 'not there'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  await expect(uploadFile(client, '')).rejects.toMatchObject({ message: 'The path is empty' })
  await expect(uploadFile(client, folder)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    hint: 'Use uploadFolder or computeFolderCid.',
  })
})

test('detects a service that answers another CID', async () => {
  const other = '{"Name":"x","Hash":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku","Size":"0"}'
  const liar = createServer((request, response) => request.resume().on('end', () => response.end(other)))
  await new Promise<void>((done) => liar.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
  try {
    const lied = { ...client, network: { ...client.network, upload: url } }
    await expect(uploadText(lied, 'truth')).rejects.toMatchObject({ code: 'CID_MISMATCH' })
    const { cid } = await computeCid(new TextEncoder().encode('truth'))
    const car = encodeCarHeader([CID.parse(cid)])
    await expect(uploadCar(lied, car)).rejects.toMatchObject({ code: 'CID_MISMATCH', details: { computed: cid } })
  } finally {
    await new Promise((done) => liar.close(done))
  }
})

test.each([1000, 3_000_000])('an upload of %i bytes whose answer is lost is stored once', async (size) => {
  for (const fault of [
    { kind: 'lose answer' },
    { kind: 'lose answer', status: 502 },
    { kind: 'repeat request' },
  ] as const) {
    let faults = 0
    await using proxy = await startFaultyProxy(client.network.upload, () => (faults++ === 0 ? fault : undefined))
    const shaky = { ...client, network: { ...client.network, upload: proxy.url } }
    const name = `${fault.kind} ${'status' in fault} ${size}`
    const content = randomBytes(size)
    const steps: Progress[] = []
    const { cid, sizeBytes } = await uploadBytes(shaky, content, { name, onProgress: (step) => steps.push(step) })
    expect(proxy.requests).toBe(fault.kind === 'repeat request' ? 1 : 2)
    expect(sizeBytes).toBe(size)
    expect(steps.at(-1)).toMatchObject({ bytes: size, total: size })
    expect(Buffer.compare(await downloadBytes(client, cid), content)).toBe(0)
    const { fileList } = await listFilesPage(client, { search: cid })
    expect(fileList.map(({ fileName }) => fileName)).toEqual([name])
  }
})

test('an upload that another call repeats with its key is stored once', async () => {
  const top = join(folder, 'repeated')
  mkdirSync(top)
  writeFileSync(join(top, 'a'), randomBytes(2_000_000))
  const bytes = randomBytes(2_000_000)
  const car = new Uint8Array(
    await (await fetch(`${network.profile.gateway}/ipfs/${(await uploadBytes(client, bytes)).cid}?format=car`)).bytes(),
  )
  const own = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  const uploads = [
    (idempotencyKey: string) => uploadFile(own, join(top, 'a'), { idempotencyKey }),
    (idempotencyKey: string) => uploadFolder(own, top, { idempotencyKey }),
    (idempotencyKey: string) => uploadStream(own, Readable.from([bytes]), { idempotencyKey, name: 'stream' }),
    (idempotencyKey: string) => uploadCar(own, car, { idempotencyKey }),
    (idempotencyKey: string) => uploadCar(own, new Blob([car]).stream(), { idempotencyKey, name: 'stream.car' }),
  ]
  for (const [at, upload] of uploads.entries()) {
    const key = randomUUID()
    const first = await upload(key)
    expect(await upload(key)).toEqual(first)
    expect((await listFilesPage(own)).totalFiles).toBe(at + 1)
  }
  const key = randomUUID()
  await uploadText(own, 'one', { idempotencyKey: key })
  await expect(uploadText(own, 'another', { idempotencyKey: key })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'The idempotency-key belongs to an upload of other content',
  })
})

test('an upload that is aborted while its repeated body is read ends at once', async () => {
  const bytes = randomBytes(2_000_000)
  const idempotencyKey = randomUUID()
  await uploadBytes(client, bytes, { idempotencyKey })
  const stop = new AbortController()
  async function* stuck() {
    yield bytes.subarray(0, 1_000_000)
    await new Promise(() => setTimeout(() => stop.abort(), 50))
  }
  await expect(uploadStream(client, stuck(), { idempotencyKey, signal: stop.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  })
})

test.each([['two\nlines'], ['schlüssel'], ['']])(
  'a key that cannot be sent in a header is not a network error: %j',
  async (apiKey) => {
    // Nothing listens on it.
    const nowhere = { ...network.profile, api: 'http://127.0.0.1:9', upload: 'http://127.0.0.1:9' }
    const wrong = createClient({ network: nowhere, apiKey })
    const refused = { code: 'UNAUTHENTICATED', retry: false }
    await expect(getUsage(wrong)).rejects.toMatchObject(refused)
    await expect(uploadText(wrong, 'x')).rejects.toMatchObject(refused)
    const resumable = createResumable()
    await expect(uploadFile(wrong, new Blob(['x']), { resumable })).rejects.toMatchObject(refused)
  },
)

test('a key can end with the line break of the file that it was read from', async () => {
  const own = createClient({ network: network.profile, apiKey: `${client.apiKey}\n` })
  const { cid } = await uploadText(own, 'with a line break')
  expect(cid).toBe((await uploadText(client, 'with a line break')).cid)
  expect(await getUsage(own)).toEqual(await getUsage(client))
})

test('rejects an invalid key immediately', async () => {
  await expect(uploadText({ ...client, apiKey: 'nonsense' }, 'x')).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: 'Authentication failed',
  })
})
