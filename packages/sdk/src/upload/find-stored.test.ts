import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import { downloadBytes } from '../download/open-file.ts'
import { listFilesPage } from '../files/list-files.ts'
import type { Progress } from '../progress.ts'
import { createResumable } from './resumable.ts'
import { uploadBytes, uploadFile, uploadStream } from './upload-file.ts'
import { uploadFolder } from './upload-folder.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = await mkdtemp(join(tmpdir(), 'cairn-skip-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const countUploads = async (): Promise<number> => (await listFilesPage(client)).totalFiles

/** Uploads and returns the result with the phases of its progress. */
async function uploadPhases(bytes: Uint8Array, options: Parameters<typeof uploadBytes>[2] = {}) {
  const phases = new Set<Progress['phase']>()
  const result = await uploadBytes(client, bytes, { ...options, onProgress: ({ phase }) => phases.add(phase) })
  return { result, phases: [...phases] }
}

test('does not resend content that the account has stored, whatever its name', async () => {
  const bytes = new Uint8Array(700_000).map((_, at) => at % 253)
  const first = await uploadPhases(bytes, { name: 'first.bin', skipStored: true })
  expect(first.result.wasStored).toBeUndefined()
  expect(first.phases).toEqual(['prepare', 'send'])
  const count = await countUploads()
  const again = await uploadPhases(bytes, { name: 'second.bin', skipStored: true })
  expect(again.result).toEqual({ ...first.result, wasStored: true })
  expect(again.phases).toEqual(['prepare'])
  const resumable = createResumable()
  expect((await uploadBytes(client, bytes, { skipStored: true, resumable })).wasStored).toBe(true)
  expect(await countUploads()).toBe(count)
  // Without the option, it becomes another upload, as before.
  expect((await uploadBytes(client, bytes, { name: 'third.bin' })).wasStored).toBeUndefined()
  expect(await countUploads()).toBe(count + 1)
  expect(await downloadBytes(client, again.result.cid)).toEqual(bytes)
})

test('skips a folder as a whole, and sends it if any of its files differs', async () => {
  await mkdir(join(folder, 'deep'), { recursive: true })
  await writeFile(join(folder, 'a.txt'), 'one')
  await writeFile(join(folder, 'deep', 'b.txt'), 'two')
  const first = await uploadFolder(client, folder, { skipStored: true })
  expect(await uploadFolder(client, folder, { skipStored: true })).toEqual({ ...first, wasStored: true })
  await writeFile(join(folder, 'deep', 'b.txt'), 'three')
  const changed = await uploadFolder(client, folder, { skipStored: true })
  expect(changed.wasStored).toBeUndefined()
  expect(changed.cid).not.toBe(first.cid)
})

test('sends what only others stored, or what is private on one side only', async () => {
  const bytes = new TextEncoder().encode('stored by two accounts')
  const other = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  await uploadBytes(other, bytes)
  expect((await uploadBytes(client, bytes, { skipStored: true })).wasStored).toBeUndefined()
  expect((await uploadBytes(client, bytes, { skipStored: true, private: true })).wasStored).toBeUndefined()
  expect((await uploadBytes(client, bytes, { skipStored: true, private: true })).wasStored).toBe(true)
})

test('rejects a stream before it is read', async () => {
  let isRead = false
  const stream = (async function* () {
    isRead = true
    yield new Uint8Array(1)
  })()
  const options: Parameters<typeof uploadBytes>[2] = { skipStored: true }
  await expect(uploadStream(client, stream, options)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  expect(isRead).toBe(false)
})

test('stops while it reads', async () => {
  const stop = new AbortController()
  const uploading = uploadFile(client, new Blob([new Uint8Array(3_000_000)]), {
    skipStored: true,
    signal: stop.signal,
    onProgress: () => stop.abort(),
  })
  await expect(uploading).rejects.toMatchObject({ code: 'ABORTED' })
})
