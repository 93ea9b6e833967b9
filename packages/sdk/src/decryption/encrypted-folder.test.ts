import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import { estimateDecryptedFolderSize } from '../download/decrypted-size.ts'
import { alterGateway } from '../download/gateway.fixture.ts'
import { encryptStream } from '../encryption/encrypt-stream.ts'
import { type IndexedFile, indexName, writeFolderIndex } from '../encryption/folder-index.ts'
import { uploadFolder } from '../upload/upload-folder.ts'
import { decryptFolder } from './encrypted-folder.ts'

const masterKey = '5a'.repeat(32)
const large = new Uint8Array(randomBytes(600_000))
const files = new Map<string, Uint8Array>([
  ['large.bin', large],
  ['empty', new Uint8Array(0)],
  ...Array.from({ length: 200 }, (_none, i): [string, Uint8Array] => [`of ten/${i % 10}/${i}`, randomBytes(i + 1)]),
])

let network: TestNetwork
let client: Client
let folder = ''
let cid = ''

beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-decrypt-folder-'))
  cid = await store([...files].map(([path, bytes], i) => ({ path, entry: String(i), sizeBytes: bytes.length, bytes })))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

/** Stores an encrypted folder, with an index of the test's own. */
async function store(entries: readonly (IndexedFile & { bytes: Uint8Array })[]): Promise<string> {
  const seal = async (bytes: Uint8Array) => {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for await (const piece of encryptStream([bytes], masterKey, { format: 'v2' })) pieces.push(new Uint8Array(piece))
    return new Uint8Array(await new Blob(pieces).arrayBuffer())
  }
  const index = writeFolderIndex(entries.map(({ bytes: _, ...file }) => file))
  const sealed = [{ path: indexName, content: await seal(index) }]
  for (const { entry, bytes } of entries) sealed.push({ path: entry, content: await seal(bytes) })
  return (await uploadFolder(client, sealed)).cid
}

function expectAll(target: string): void {
  const found = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(found.length).toBe(files.size)
  for (const [path, bytes] of files) expect(readFileSync(join(target, path)).equals(bytes), path).toBe(true)
}

test('the decrypted size of a folder follows from its list, within one in 1,000, without the key', async () => {
  const plainBytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  const anyone = createClient({ network: network.profile })
  const found = (await estimateDecryptedFolderSize(anyone, cid)) ?? 0
  expect(Math.abs(found - plainBytes)).toBeLessThan(plainBytes / 1000)
  expect(await estimateDecryptedFolderSize(anyone, cid, { maxFiles: files.size - 1 })).toBeUndefined()
})

test('decrypts a folder of small files from one response', async () => {
  const paths: string[] = []
  await using counted = await alterGateway(client, (body, path) => {
    paths.push(path)
    return body
  })
  const target = join(folder, 'whole')
  let reported = 0
  const onProgress = ({ bytes }: { bytes: number }) => {
    reported = bytes
  }
  const sizeBytes = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0)
  const result = await decryptFolder(counted, cid, target, { masterKey, onProgress })
  expect(result).toEqual({ path: target, sizeBytes, files: files.size })
  expect(reported).toBe(sizeBytes)
  expectAll(target)
  // The index, and everything.
  expect(paths.length).toBe(2)
})

test.each([0, 0.1, 0.97])(
  'fetches the rest file by file when the response ends after %d of its bytes',
  async (part) => {
    await using short = await alterGateway(client, (body, path) =>
      path.includes(`${cid}?`) && path.endsWith('=all') ? body.subarray(0, body.length * part) : body,
    )
    const target = join(folder, `ends at ${part}`)
    expect(await decryptFolder(short, cid, target, { masterKey })).toMatchObject({ files: files.size })
    expectAll(target)
  },
)

test('a repeated download clears the leftovers of a killed one, and nothing else', async () => {
  const target = join(folder, 'killed')
  await decryptFolder(client, cid, target, { masterKey })
  const left = ['.cairn-0123456789abcdef.part', 'of ten/.cairn-0123456789abcdef.part']
  for (const name of left) writeFileSync(join(target, name), 'unfinished')
  writeFileSync(join(target, 'of ten', 'mine'), 'kept')
  await decryptFolder(client, cid, target, { masterKey, overwrite: true })
  expect(readFileSync(join(target, 'of ten', 'mine'), 'utf8')).toBe('kept')
  rmSync(join(target, 'of ten', 'mine'))
  expectAll(target)
})

test('rejects a file that is longer or shorter than its index states', async () => {
  const bytes = new Uint8Array(100)
  for (const sizeBytes of [0, 99, 101]) {
    const wrong = await store([{ path: 'a', entry: '0', sizeBytes, bytes }])
    const target = join(folder, `wrong ${sizeBytes}`)
    await expect(decryptFolder(client, wrong, target, { masterKey })).rejects.toMatchObject({
      code: 'DECRYPTION_FAILED',
    })
    expect(readdirSync(target)).toEqual([])
  }
})
