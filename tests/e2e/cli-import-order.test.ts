// Uploads of one name arrive in the order of their source, which the drive shows as versions.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Client, listFiles, openDrive, uploadBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyClient } from '../fixtures.ts'
import { listen } from '../listen.ts'
import { type ImportNetworks, startImportNetworks } from './import-networks.ts'

/** Versions of one file at the source, oldest first. A small one overtakes a large one sent at the same time. */
const sizes = [3_000_000, 1_500_000, 20, 10]
let networks: ImportNetworks
let owner: Client
const cids: string[] = []
beforeAll(async () => {
  networks = await startImportNetworks()
  owner = await createKeyClient(networks.source)
  for (const [at, sizeBytes] of sizes.entries()) {
    cids.push((await uploadBytes(owner, randomBytes(sizeBytes), { name: 'report.pdf' })).cid)
    await uploadBytes(owner, randomBytes(100), { name: `other ${at}` })
  }
})
afterAll(() => networks?.[Symbol.asyncDispose]())

/** CIDs of the uploads of the name, oldest first. */
async function listVersions(client: Client): Promise<string[]> {
  const files = await Array.fromAsync(listFiles(client))
  return files.flatMap(({ fileName, cid }) => (fileName === 'report.pdf' ? cid : [])).reverse()
}

test('Lighthouse lists the newest first, and the oldest is stored first', async () => {
  const { source, runImport } = networks
  const args = ['lighthouse', '--source', source.profile.api, '--gateway', source.profile.gateway]
  const { code, client } = await runImport(args, { env: { LIGHTHOUSE_API_KEY: owner.apiKey ?? '' } })
  expect(code).toBe(0)
  expect(await listVersions(client)).toEqual(cids)
  const drive = await openDrive(client)
  expect(drive.list('/').find(({ name }) => name === 'report.pdf')).toMatchObject({ id: cids[0], cid: cids.at(-1) })
})

test('pins of one millisecond on two pages are imported oldest first', async () => {
  const { source, runImport } = networks
  const created = ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00.002Z', '2026-02-01']
  const pins = cids.map((cid, at) => ({
    requestid: `pin ${at}`,
    created: created[at] ?? '',
    pin: { cid, name: 'report.pdf' },
  }))
  await using api = await listen((request, response) => {
    const before = new URL(request.url ?? '', 'http://pins').searchParams.get('before')
    const older = pins.filter(({ created: at }) => before === null || Date.parse(at) < Date.parse(before)).reverse()
    const page = { count: older.length, results: older.slice(0, 2) }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  })
  const args = ['pins', '--source', api.url, '--gateway', source.profile.gateway]
  const { code, summary, client } = await runImport(args, { env: { PINNING_SERVICE_TOKEN: 'token' } })
  expect([code, summary]).toEqual([0, expect.objectContaining({ items: 4, uploaded: 4, displaced: [] })])
  expect(await listVersions(client)).toEqual(cids)
})

test('reports more pins of one moment than fit into a page', async () => {
  const { source, runImport } = networks
  const pins = cids.map((cid, at) => ({ requestid: `pin ${at}`, created: '2026-01-01T00:00:00Z', pin: { cid } }))
  await using api = await listen((request, response) => {
    const before = new URL(request.url ?? '', 'http://pins').searchParams.get('before') ?? '2027-01-01'
    const older = pins.filter(({ created }) => Date.parse(created) < Date.parse(before))
    const page = { count: older.length, results: older.slice(0, 2) }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  })
  const args = ['pins', '--source', api.url, '--gateway', source.profile.gateway]
  const { code, summary, items } = await runImport(args, { env: { PINNING_SERVICE_TOKEN: 'token' } })
  expect([code, summary]).toEqual([8, expect.objectContaining({ items: 3, uploaded: 2, missing: 1 })])
  expect(items.find(({ error }) => error !== undefined)).toMatchObject({ error: { code: 'UNEXPECTED_RESPONSE' } })
})

test('Pinata: imports by the time of each file, in whatever order the service lists them', async () => {
  const { source, runImport } = networks
  const files = cids.map((cid, at) => ({ cid, name: 'report.pdf', created_at: `2024-08-27T14:57:51.${at}Z` }))
  await using api = await listen((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { files } }))
  })
  const args = ['pinata', '--source', api.url, '--gateway', source.profile.gateway]
  const { code, client } = await runImport(args, { env: { PINATA_JWT: 'jwt' } })
  expect(code).toBe(0)
  expect(await listVersions(client)).toEqual(cids)
})

test('reports an older version that only a later run could store, with how to make the newest one current again', async () => {
  const { source, folder, target, runImport } = networks
  const client = await createKeyClient(target)
  const input = cids.map((cid) => `${cid},report.pdf`).join('\n')
  let lacks = cids[1] ?? ''
  await using gateway = await listen((request, response) => {
    const { url = '' } = request
    if (lacks !== '' && url.includes(lacks)) {
      response.writeHead(404).end()
      return
    }
    fetch(`${source.profile.gateway}${url}`, { headers: { accept: request.headers.accept ?? '' } })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        response.end(new Uint8Array(await answer.arrayBuffer()))
      })
      .catch(() => response.destroy())
  })
  const args = ['cids', '-', '--gateway', gateway.url, '--state', join(folder, 'late.jsonl')]
  const first = await runImport(args, { input }, client)
  expect([first.code, first.summary]).toEqual([8, expect.objectContaining({ uploaded: 3, missing: 1, displaced: [] })])
  lacks = ''
  const second = await runImport(args, { input }, client)
  const newest = cids.at(-1) ?? ''
  expect([second.code, second.summary]).toEqual([
    0,
    expect.objectContaining({ uploaded: 1, displaced: [{ name: 'report.pdf', cid: newest }] }),
  ])
  const drive = await openDrive(client)
  expect(drive.list('/')).toMatchObject([{ cid: cids[1] }])
  // The suggestion of the command line.
  await drive.change((edit) => edit.useVersion('/report.pdf', newest))
  expect(drive.list('/')).toMatchObject([{ cid: newest, versions: { length: 4 } }])
})
