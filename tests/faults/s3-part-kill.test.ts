// A service killed while it receives a part of an S3 upload: the client resends the part, within the same storage.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient, createS3Credentials, loadNetwork } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedFetch } from '../../services/storage/src/s3/signed-fetch.fixture.ts'
import { createTestKey } from '../fixtures.ts'
import { type StorageProcess, startStorageProcess } from './storage-process.ts'

const partBytes = 6_000_000
/** Storage for one part, and not for two. */
const settings = { CAIRN_S3_API_PORT: '0', CAIRN_FREE_BYTES: '10000000', CAIRN_FREE_DISK_RESERVE: '0' }

let home: string
let service: StorageProcess
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-part-kill-'))
  service = await startStorageProcess(home, settings)
})
afterAll(async () => {
  await service?.kill()
  await rm(home, { recursive: true, force: true })
})

function readReserved(): number {
  const database = new DatabaseSync(join(home, 'storage.sqlite'), { readOnly: true, timeout: 5000 })
  try {
    return Number(database.prepare('select sum(reserved_bytes) as bytes from account').get()?.['bytes'])
  } finally {
    database.close()
  }
}

test('a part whose process was killed is no longer reserved', async () => {
  const { apiKey } = await createTestKey({ profile: service })
  const network = await loadNetwork(service.api)
  const keys = await createS3Credentials(createClient({ network, apiKey }))
  const open = async () => ({ endpoint: (await loadNetwork(service.api)).s3?.endpoint ?? '', keys })
  const first = await open()
  expect((await signedFetch(first, '/films', { method: 'PUT' })).status).toBe(200)
  const { body } = await signedFetch(first, '/films/film?uploads=', { method: 'POST' })
  const path = `/films/film?partNumber=1&uploadId=${/<UploadId>(.*)<\/UploadId>/.exec(body)?.[1]}`
  const part = { method: 'PUT', body: new Uint8Array(partBytes) }
  const cut = signedFetch(first, path, {
    ...part,
    async halfway() {
      await expect.poll(readReserved, { timeout: 10_000 }).toBe(partBytes)
      await service.kill()
    },
  })
  await expect(cut).rejects.toThrow()
  service = await startStorageProcess(home, settings)
  expect(readReserved()).toBe(0)
  expect((await signedFetch(await open(), path, part)).status).toBe(200)
  expect(readReserved()).toBe(partBytes)
})
