import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CarReader, CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DnsServer, startDnsServer } from '../../services/storage/src/names/dns-server.fixture.ts'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { gatewayConformance, isInstalled } from './binaries.ts'
import { extractConformanceFixtures, readDnslinks, runConformance } from './conformance.ts'

const rawCode = 0x55

/** Tests that fail by a documented decision, and the document. */
const decided = [
  // docs/decisions/0191: the gateway is not a tunnel.
  /^TestProxyTunnelGateway/,
]

describe.skipIf(!isInstalled(gatewayConformance))('gateway-conformance with our gateway', () => {
  let network: TestNetwork
  let dns: DnsServer
  let folder: string
  beforeAll(async () => {
    dns = await startDnsServer()
    network = await createTestNetwork({
      CAIRN_GATEWAY_HOSTS: 'localhost,example.com',
      CAIRN_DNSLINK_RESOLVERS: dns.address,
      // The suite adds the headers of a proxy in front of the gateway.
      CAIRN_TRUSTED_PROXIES: '127.0.0.1,::1',
    })
    folder = await mkdtemp(join(tmpdir(), 'cairn-fixtures-'))
    const { cars, ipnsRecords } = await extractConformanceFixtures(folder)
    for (const { domain, path } of await readDnslinks(folder)) dns.texts.set(`_dnslink.${domain}`, [`dnslink=${path}`])
    const { apiKey } = await createTestKey(network)
    const refused = []
    for (const car of cars) {
      if (!(await importFixture(network, apiKey, await readFile(car))))
        refused.push(basename(car).replace(/(?:_\d+)?\.car$/, ''))
    }
    // docs/how-to/kubo.md, pin-roots: a DAG must be complete.
    expect(refused).toEqual(['file-3k-and-3-blocks-missing-block'])
    // Some are broken on purpose, and must be rejected.
    for (const record of ipnsRecords) await putRecord(network, record)
  })
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    await dns?.[Symbol.asyncDispose]()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('passes completely, except for documented differences', async ({ task }) => {
    const results = await runConformance({
      gatewayUrl: network.profile.gateway,
      subdomainUrl: 'http://example.com',
    })
    const passed = results.filter(({ outcome }) => outcome === 'pass').length
    expect(passed).toBeGreaterThan(1200)
    const failed = results.flatMap(({ name, outcome }) => (outcome === 'fail' ? name : []))
    Object.assign(task.meta, { result: `${passed.toLocaleString('en')} passed, ${failed.length} failed` })
    expect(failed.filter((name) => !decided.some((one) => one.test(name)))).toEqual([])
    // A test that passes must not be listed as different.
    for (const one of decided)
      expect(
        failed.some((name) => one.test(name)),
        `${one}`,
      ).toBe(true)
  })
})

/** Imports a CAR; a rejected one as blocks without links. @returns whether it was accepted unchanged */
async function importFixture(network: TestNetwork, apiKey: string, car: Uint8Array<ArrayBuffer>): Promise<boolean> {
  if ((await sendCar(network, apiKey, car)).ok) return true
  const reader = await CarReader.fromBytes(car)
  const blocks = await Array.fromAsync(reader.blocks())
  const raw = blocks.map(({ cid, bytes }) => ({ cid: CID.createV1(rawCode, cid.multihash), bytes }))
  const { writer, out } = CarWriter.create(raw.map(({ cid }) => cid))
  const written = (async () => {
    for (const block of raw) await writer.put(block)
    await writer.close()
  })()
  const again = Buffer.concat(await Array.fromAsync(out))
  await written
  const answer = await sendCar(network, apiKey, new Uint8Array(again))
  if (!answer.ok) throw new Error(await answer.text())
  return false
}

function sendCar({ profile }: TestNetwork, apiKey: string, car: Uint8Array<ArrayBuffer>): Promise<Response> {
  const body = new FormData()
  body.append('file', new Blob([car]), 'fixture.car')
  const headers = { authorization: `Bearer ${apiKey}` }
  return fetch(`${profile.api}/api/v0/dag/import`, { method: 'POST', headers, body })
}

async function putRecord({ profile }: TestNetwork, file: string): Promise<void> {
  const [name = ''] = basename(file).split(/[._]/)
  await fetch(`${profile.api}/routing/v1/ipns/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/vnd.ipfs.ipns-record' },
    body: new Uint8Array(await readFile(file)),
  })
}
