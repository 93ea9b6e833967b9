// The command line fetches a list of CIDs from gateways and imports it.
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { downloadBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyClient } from '../fixtures.ts'
import { type ImportNetworks, listImported, startImportNetworks } from './import-networks.ts'

const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
let networks: ImportNetworks
beforeAll(async () => {
  networks = await startImportNetworks()
})
afterAll(() => networks?.[Symbol.asyncDispose]())

/** A gateway of the source network that can be cut, refuse or lie, and records what was requested. */
async function openGateway(
  change: {
    /** Ends each CAR after this many bytes, and has no other content from then on. */
    cutAfterBytes?: number
    refusesCars?: boolean
    flipsBytes?: boolean
    onRequest?: () => void
  } = {},
) {
  const requests: string[] = []
  let sentBytes = 0
  let isCut = false
  const server: Server = createServer((request, response) => {
    const { url = '' } = request
    requests.push(url)
    change.onRequest?.()
    const isCar = url.includes('format=car')
    if (isCut || (isCar && change.refusesCars === true)) {
      response.writeHead(isCut ? 404 : 406).end()
      return
    }
    fetch(`${networks.source.profile.gateway}${url}`, { headers: { accept: request.headers.accept ?? '' } })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        async function* body() {
          for await (const piece of answer.body ?? []) {
            const bytes = Buffer.from(piece)
            if (change.flipsBytes === true) bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
            const left = (change.cutAfterBytes ?? Number.POSITIVE_INFINITY) - sentBytes
            sentBytes += Math.min(left, bytes.length)
            if (left < bytes.length) {
              isCut = true
              yield bytes.subarray(0, left)
              throw new Error('cut')
            }
            yield bytes
          }
        }
        await pipeline(Readable.from(body()), response)
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get sentBytes() {
      return sentBytes
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

test('fetches a list of CIDs from a gateway, verifies it, lists it under the same CIDs, and reports absent ones', async () => {
  const { cids, large, folder, runImport } = networks
  await using gateway = await openGateway()
  const rows = [
    'cid,name,encrypted',
    `${cids.small},small.bin,false`,
    `${cids.small},"twice, again",`,
    `${cids.large},film.mp4,`,
    `${cids.folder},folder,`,
    `${cids.secret},secret,true`,
    `${absent},absent,`,
    'nonsense,,',
  ]
  writeFileSync(join(folder, 'list.csv'), rows.join('\n'))
  const first = await runImport(['cids', 'list.csv', '--gateway', gateway.url, '--state', 'list.jsonl'])
  expect([first.code, first.summary]).toEqual([
    8,
    expect.objectContaining({ items: 7, uploaded: 4, present: 1, missing: 2 }),
  ])
  expect(first.items.flatMap(({ error }) => error?.code ?? []).sort()).toEqual(['BLOCK_NOT_FOUND', 'INVALID_CID'])
  expect(await listImported(first.client)).toEqual(
    [
      [cids.small, 'small.bin', false],
      [cids.small, 'twice, again', false],
      [cids.large, 'film.mp4', false],
      [cids.folder, 'folder', false],
      [cids.secret, 'secret', true],
    ].sort(),
  )
  expect(await downloadBytes(first.client, cids.large)).toEqual(large)
  expect(readdirSync(folder).filter((name) => name.endsWith('.blocks'))).toEqual(['list.jsonl.blocks'])

  // Only missing content is requested again.
  gateway.requests.length = 0
  const args = ['cids', 'list.csv', '--gateway', gateway.url, '--state', 'list.jsonl']
  const again = await runImport(args, {}, first.client)
  expect([again.code, again.summary]).toEqual([
    8,
    expect.objectContaining({ uploaded: 0, present: 5, missing: 2, bytes: 0 }),
  ])
  expect(gateway.requests.every((url) => url.includes(absent))).toBe(true)
})

test('lists a CID with two names under each once, also without the state file, and keeps it encrypted', async () => {
  const { target, cids, source, runImport } = networks
  const client = await createKeyClient(target)
  const input = `cid,name,encrypted\n${cids.secret},secret,true\n${cids.secret},copy,true\n`
  const args = ['cids', '-', '--gateway', source.profile.gateway]
  for (let run = 0; run < 2; run++) expect(await runImport(args, { input }, client)).toMatchObject({ code: 0 })
  expect(await listImported(client)).toEqual([
    [cids.secret, 'copy', true],
    [cids.secret, 'secret', true],
  ])
})

test('resumes within a file, and fetches no block twice', async () => {
  const { target, cids, large, folder, runImport } = networks
  const client = await createKeyClient(target)
  const input = `${cids.large}\n`
  let firstBytes = 0
  {
    await using gateway = await openGateway({ cutAfterBytes: 1_200_000 })
    const cut = await runImport(['cids', '-', '--gateway', gateway.url, '--state', 'cut.jsonl'], { input }, client)
    expect(cut.code).toBe(8)
    expect(await listImported(client)).toEqual([])
    firstBytes = gateway.sentBytes
  }
  await using gateway = await openGateway()
  const rest = await runImport(['cids', '-', '--gateway', gateway.url, '--state', 'cut.jsonl'], { input }, client)
  expect(rest.code).toBe(0)
  expect(firstBytes + gateway.sentBytes).toBeLessThan(large.length + 2 * 262_144)
  expect(await downloadBytes(client, cids.large)).toEqual(large)
  expect(readdirSync(folder)).not.toContain('cut.jsonl.blocks')
})

test('stores nothing from a lying gateway; supports one without CARs, and a second one as a fallback', async () => {
  const { cids, runImport } = networks
  await using liar = await openGateway({ flipsBytes: true })
  const input = `${cids.folder}\n${cids.small}\n`
  const lied = await runImport(['cids', '-', '--gateway', liar.url], { input })
  expect([lied.code, lied.items.map(({ error }) => error?.code)]).toEqual([
    8,
    ['BLOCK_HASH_MISMATCH', 'BLOCK_HASH_MISMATCH'],
  ])
  expect(await listImported(lied.client)).toEqual([])
  await using plain = await openGateway({ refusesCars: true })
  const helped = await runImport(['cids', '-', '--gateway', liar.url, '--gateway', plain.url], { input })
  expect([helped.code, helped.summary]).toEqual([0, expect.objectContaining({ uploaded: 2, missing: 0 })])
})

test('a dry run lists sizes, and imports nothing', async () => {
  const { cids, large, runImport } = networks
  await using gateway = await openGateway()
  const input = `${cids.large}\n${cids.folder}\n${absent}\n`
  const dry = await runImport(['cids', '-', '--gateway', gateway.url, '--dry-run'], { input })
  expect([dry.code, dry.summary]).toEqual([8, expect.objectContaining({ items: 3, uploaded: 0, missing: 1 })])
  const size = dry.items.find(({ cid }) => cid === cids.large)?.bytes ?? 0
  expect(size).toBeGreaterThan(large.length)
  expect(size).toBeLessThan(large.length * 1.01)
  expect(await listImported(dry.client)).toEqual([])
  expect(gateway.requests.every((url) => url.includes('format=raw'))).toBe(true)
})

test('an interrupt ends the import with 130, and the next run continues', async () => {
  const { target, cids, runImport } = networks
  const client = await createKeyClient(target)
  const input = `${cids.small}\n${cids.large}\n`
  let interrupt = (): void => undefined
  await using gateway = await openGateway({ onRequest: () => interrupt() })
  const args = ['cids', '-', '--gateway', gateway.url, '--parallel', '1', '--state', 'stop.jsonl']
  const stopped = await runImport(
    args,
    {
      input,
      started(child) {
        interrupt = () => {
          if (gateway.requests.length === 2) child.kill('SIGINT')
        }
      },
    },
    client,
  )
  expect(stopped.code).toBe(130)
  expect(await listImported(client)).toEqual([[cids.small, 'small.bin', false]].map(([cid]) => [cid, cid, false]))
  const rest = await runImport(args, { input }, client)
  expect([rest.code, rest.summary]).toEqual([0, expect.objectContaining({ uploaded: 1, present: 1 })])
})

test('without a gateway, says what it needs', async () => {
  const { runImport } = networks
  const { code, err } = await runImport(['cids', '-'], { input: '' })
  expect([code, JSON.parse(err).error.message]).toEqual([2, 'This import requires --gateway'])
})
