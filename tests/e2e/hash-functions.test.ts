// Content whose blocks use many hash functions: imported as CARs and pins, and equal wherever it is read.
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, deleteFile, downloadBytes, getFileInfo, openFile, uploadCar } from '@cairn/sdk'
import { verifyBlock } from '@cairn/unixfs'
import { CarReader } from '@ipld/car'
import { exporter } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { buildMixedDag, type MixedDag } from '../mixed-dag.ts'
import { runCli } from '../run-cli.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const isEqual = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

let folder: string
let origin: TestNetwork
let network: TestNetwork
let apiKey: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-hashes-'))
  origin = await createTestNetwork()
  network = await createTestNetwork({
    CAIRN_PIN_GATEWAYS: origin.profile.gateway,
    CAIRN_PIN_PRIVATE_ORIGINS: 'on',
    CAIRN_FREE_BYTES: String(64 * 1024 * 1024),
  })
  ;({ apiKey } = await createTestKey(network))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await origin?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Imports a CAR as Kubo's clients do. */
async function importCar(target: TestNetwork, key: string, { car, roots }: MixedDag): Promise<void> {
  const body = new FormData()
  body.append('file', new Blob([car]), 'mixed.car')
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${target.profile.api}/api/v0/dag/import`, { method: 'POST', headers, body })
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, expect.stringContaining(`${roots[0]}`)])
}

async function fetchBytes(url: string): Promise<Buffer> {
  const answer = await fetch(url)
  expect([url, answer.status]).toEqual([url, 200])
  return Buffer.from(await answer.arrayBuffer())
}

/** Checks that everything a gateway returns for the DAG equals what was sent. */
async function expectWhole({ profile }: TestNetwork, { folder: root, file, blocks, roots }: MixedDag): Promise<void> {
  const { gateway, api } = profile
  expect(isEqual(await fetchBytes(`${gateway}/ipfs/${root}/file`), file)).toBe(true)
  const range = await fetch(`${gateway}/ipfs/${root}/file`, { headers: { range: 'bytes=150000-2450000' } })
  expect(range.status).toBe(206)
  expect(isEqual(Buffer.from(await range.arrayBuffer()), file.subarray(150_000, 2_450_001))).toBe(true)
  for (const { cid, bytes } of blocks) {
    expect(isEqual(await fetchBytes(`${gateway}/ipfs/${cid}?format=raw`), bytes), `${cid}`).toBe(true)
    const block = await fetch(`${api}/api/v0/block/get?arg=${cid}`, { method: 'POST' })
    expect(isEqual(Buffer.from(await block.arrayBuffer()), bytes), `${cid}`).toBe(true)
  }
  const document = roots[1]
  const car = await CarReader.fromBytes(await fetchBytes(`${gateway}/ipfs/${document}?format=car`))
  const received = new Map<string, Uint8Array>()
  for await (const { cid, bytes } of car.blocks()) {
    await verifyBlock(cid, bytes, sha256)
    received.set(`${cid}`, bytes)
  }
  expect([...received.keys()].toSorted()).toEqual(blocks.map(({ cid }) => `${cid}`).toSorted())
  // Read by another implementation of UnixFS.
  const source = {
    async *get(cid: CID) {
      // An identity CID contains its block.
      yield cid.multihash.code === 0 ? cid.multihash.digest : (received.get(`${cid}`) ?? new Uint8Array())
    },
  }
  const entry = await exporter(`${root}/file`, source)
  if (entry.type !== 'file') throw new Error(`a file was expected, not ${entry.type}`)
  expect(isEqual(Buffer.concat(await Array.fromAsync(entry.content())), file)).toBe(true)
}

describe('content with many hash functions', () => {
  it('is imported as a CAR, and equal as file, range, block and CAR, also after a restart of its readers', async () => {
    const dag = await buildMixedDag('imported')
    await importCar(network, apiKey, dag)
    await expectWhole(network, dag)
    network.storage.context.packs.evict()
    await expectWhole(network, dag)
    const { db } = network.storage.context
    const rows = await db.read.selectFrom('block').select('multihash').execute()
    const stored = new Set(rows.map(({ multihash }) => Buffer.from(multihash).toString('hex')))
    for (const { cid } of dag.blocks) expect(stored).toContain(Buffer.from(cid.multihash.bytes).toString('hex'))
    const [root] = dag.roots
    const providers = await fetchBytes(`${network.profile.api}/routing/v1/providers/${root}`)
    expect(JSON.parse(providers.toString())).toMatchObject({ Providers: [expect.anything()] })
  })

  it('is uploaded, read and verified by the SDK and the CLI', async () => {
    const dag = await buildMixedDag('by the SDK')
    const client = createClient({ network: network.profile, apiKey })
    const { cid } = await uploadCar(client, new Blob([dag.car]))
    expect(cid).toBe(`${dag.roots[0]}`)
    expect(isEqual(await downloadBytes(client, `${dag.folder}/file`), dag.file)).toBe(true)
    const open = await openFile(client, `${dag.folder}/file`)
    expect(open.sizeBytes).toBe(dag.file.length)
    expect(await getFileInfo(client, `${dag.folder}`)).toMatchObject({ cid: `${dag.folder}` })
    const env = { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: join(folder, 'config') }
    const run = await runCli(['get', `${dag.folder}/file`, '-o', 'got'], { cwd: folder, env })
    expect([run.code, run.err]).toEqual([0, expect.any(String)])
    expect(isEqual(await readFile(join(folder, 'got')), dag.file)).toBe(true)
    await deleteFile(client, { cid: `${dag.folder}` })
    await expect(getFileInfo(client, `${dag.folder}`)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is rejected by the SDK from a gateway that changes a block of any function', async () => {
    const dag = await buildMixedDag('by a liar')
    await importCar(network, apiKey, dag)
    const real = await fetchBytes(`${network.profile.gateway}/ipfs/${dag.folder}?format=car`)
    for (const { cid, bytes } of dag.blocks.slice(0, -1)) {
      const lie = new Uint8Array(real)
      const at = real.indexOf(bytes)
      expect(at, `${cid}`).toBeGreaterThan(0)
      lie[at + (bytes.length >> 1)] = (lie[at + (bytes.length >> 1)] ?? 0) ^ 1
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car; version=1' })
        response.end(lie)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const liar = createClient({ network: { ...network.profile, gateway } })
      await expect(downloadBytes(liar, `${dag.folder}/file`), `${cid}`).rejects.toMatchObject({
        code: 'VERIFICATION_FAILED',
      })
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('is pinned from another gateway, at once and in the background', async () => {
    const originKey = (await createTestKey(origin)).apiKey
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const atOnce = await buildMixedDag('pinned at once')
    await importCar(origin, originKey, atOnce)
    for (const cid of atOnce.roots) {
      const body = JSON.stringify({ cid: `${cid}` })
      const answer = await fetch(`${network.profile.api}/api/lighthouse/pin`, { method: 'POST', headers, body })
      expect([answer.status, await answer.json()]).toMatchObject([200, { cid: `${cid}` }])
    }
    await expectWhole(network, atOnce)
    const later = await buildMixedDag('pinned later')
    await importCar(origin, originKey, later)
    for (const cid of later.roots) {
      const body = JSON.stringify({ cid: `${cid}` })
      const answer = await fetch(`${network.profile.api}/pins`, { method: 'POST', headers, body })
      const { requestid } = (await answer.json()) as { requestid: string }
      const read = async () =>
        (await (await fetch(`${network.profile.api}/pins/${requestid}`, { headers })).json()) as { status: string }
      await expect.poll(async () => (await read()).status, { interval: 100 }).toBeOneOf(['pinned', 'failed'])
      expect(await read()).toMatchObject({ status: 'pinned' })
    }
    await expectWhole(network, later)
  })

  it('is rejected if a block does not match its CID, whatever the function', async () => {
    const dag = await buildMixedDag('forged')
    for (const [at, { cid, bytes }] of dag.blocks.entries()) {
      const start = Buffer.from(dag.car).indexOf(bytes)
      const forged = new Uint8Array(dag.car)
      forged[start + (bytes.length >> 1)] = (forged[start + (bytes.length >> 1)] ?? 0) ^ 1
      const body = new FormData()
      body.append('file', new Blob([forged]), 'forged.car')
      const answer = await fetch(`${network.profile.api}/api/v0/dag/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
        body,
      })
      expect([at, `${cid}`, answer.headers.get('x-cairn-code')]).toEqual([at, `${cid}`, 'BLOCK_HASH_MISMATCH'])
    }
    expect((await fetch(`${network.profile.gateway}/ipfs/${dag.folder}`)).status).toBe(404)
  })
})
