// The same service on PostgreSQL: a typical day of a user, and two uploads that race for the same bytes.
import {
  createClient,
  deleteFile,
  downloadBytes,
  getUsage,
  listFiles,
  listFilesPage,
  renameFile,
  uploadBytes,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let postgres: PostgresFixture
let network: TestNetwork
beforeAll(async () => {
  postgres = await startPostgres()
  network = await createTestNetwork({ CAIRN_DATABASE_URL: await postgres.createDatabase() })
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await postgres?.stop()
})

async function newClient() {
  return createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
}

test('uploads, lists, searches, renames, reads and deletes; usage follows', async () => {
  const client = await newClient()
  const { cid } = await uploadText(client, 'hello world', { name: 'Hello.TXT' })
  const folder = await uploadFolder(client, [
    { path: 'a', content: 'one' },
    { path: 'b/c', content: 'two' },
  ])
  expect(await getUsage(client)).toMatchObject({ usedBytes: 17 })
  expect(new TextDecoder().decode(await downloadBytes(client, `${folder.cid}/b/c`))).toBe('two')
  const found = await listFilesPage(client, { search: 'hello' })
  expect(found).toMatchObject({ totalFiles: 1, fileList: [{ cid, fileName: 'Hello.TXT' }] })
  const id = found.fileList[0]?.id ?? ''
  expect(await renameFile(client, id, 'other')).toMatchObject({ fileName: 'other' })
  await deleteFile(client, { id })
  expect(await getUsage(client)).toMatchObject({ usedBytes: 6 })
  await expect(deleteFile(client, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('returns pages in order, with each row once', async () => {
  const client = await newClient()
  for (let i = 0; i < 7; i++) await uploadText(client, `row ${i}`, { name: `n${i}` })
  const names: string[] = []
  for await (const row of listFiles(client, { limit: 3 })) names.push(row.fileName)
  expect(names).toEqual(['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0'])
})

test('stores the same bytes from many accounts at once for each of them', async () => {
  const bytes = new Uint8Array(600_000).map((_none, i) => (i * 13 + (i >> 10)) & 255)
  const clients = await Promise.all(Array.from({ length: 6 }, newClient))
  const results = await Promise.all(clients.map((client) => uploadBytes(client, bytes, { name: 'same' })))
  expect(new Set(results.map((result) => result.cid)).size).toBe(1)
  for (const client of clients.slice(1)) await deleteFile(client, { cid: results[0]?.cid ?? '' })
  const [first] = clients
  if (first === undefined) throw new Error('no client')
  expect(Buffer.compare(await downloadBytes(first, results[0]?.cid ?? ''), bytes)).toBe(0)
})
