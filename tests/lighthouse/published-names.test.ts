// The calls about names of the peer's published SDK 0.4.7, unchanged, and of our drop-in for it, against the local network;
// and what they published, verified by the reference implementation of records.
import { createRequire } from 'node:module'
import * as dropIn from '@cairn/sdk/lighthouse'
import { multihashToIPNSRoutingKey } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

type PublishedSdk = {
  uploadText(text: string, apiKey: string): Promise<{ data: { Hash: string } }>
  generateKey(apiKey: string): Promise<{ data: { ipnsName: string; ipnsId: string } }>
  publishRecord(cid: string, keyName: string, apiKey: string): Promise<{ data: { Name: string; Value: string } }>
  getAllKeys(apiKey: string): Promise<{ data: Record<string, unknown>[] }>
  removeKey(keyName: string, apiKey: string): Promise<{ data: { Keys: { Name: string; Id: string }[] } }>
}

const require = createRequire(import.meta.url)
const { default: published }: { default: PublishedSdk } = require('@lighthouse-web3/sdk')
const hosts: { lighthouseConfig: Record<string, string> } = require('@lighthouse-web3/sdk/dist/lighthouse.config.js')

describe.each([
  { who: 'the published SDK', sdk: published, config: hosts.lighthouseConfig },
  { who: 'our drop-in', sdk: dropIn.default, config: dropIn.lighthouseConfig },
])('$who', ({ sdk, config }) => {
  /** Both name only the status in the message. */
  const fault = (status: number) => ({ message: `Request failed with status code ${status}` })
  let network: TestNetwork
  let apiKey = ''
  let address = ''
  beforeAll(async () => {
    network = await createTestNetwork()
    const { api, upload, gateway } = network.profile
    Object.assign(config, { lighthouseAPI: api, lighthouseNode: upload, lighthouseGateway: gateway })
    ;({ apiKey, address } = await createTestKey(network))
  })
  afterAll(() => network?.[Symbol.asyncDispose]())

  test('creates, publishes twice, lists and removes a key; the gateway follows', async () => {
    const { api, gateway } = network.profile
    const read = async (name: string) => {
      const answer = await fetch(`${gateway}/ipns/${name}`)
      return { status: answer.status, text: await answer.text() }
    }
    const first = (await sdk.uploadText('one', apiKey)).data.Hash
    const second = (await sdk.uploadText('two', apiKey)).data.Hash
    const { ipnsName, ipnsId } = (await sdk.generateKey(apiKey)).data
    expect(ipnsName).toMatch(/^[0-9a-f]{32}$/)
    expect(ipnsId).toMatch(/^k51[0-9a-z]{59}$/)
    expect((await read(ipnsId)).status).toBe(502)
    const before = Date.now()
    for (const [cid, text] of [
      [first, 'one'],
      [second, 'two'],
    ] as const) {
      expect((await sdk.publishRecord(cid, ipnsName, apiKey)).data).toEqual({ Name: ipnsId, Value: `/ipfs/${cid}` })
      expect(await read(ipnsId)).toEqual({ status: 200, text })
    }
    const answer = await fetch(`${api}/routing/v1/ipns/${ipnsId}`)
    const { multihash } = CID.parse(ipnsId, base36)
    const routingKey = multihashToIPNSRoutingKey(multihash as Parameters<typeof multihashToIPNSRoutingKey>[0])
    await ipnsValidator(routingKey, await answer.bytes())

    const keys = (await sdk.getAllKeys(apiKey)).data
    expect(keys).toEqual([{ ipnsName, ipnsId, publicKey: address, cid: second, lastUpdate: expect.any(Number) }])
    expect(Number(keys[0]?.['lastUpdate'])).toBeGreaterThanOrEqual(before)
    expect((await sdk.removeKey(ipnsName, apiKey)).data).toEqual({ Keys: [{ Name: ipnsName, Id: ipnsId }] })
    expect((await sdk.getAllKeys(apiKey)).data).toEqual([])
    expect((await read(ipnsId)).status).toBe(502)
  })

  test('unknown keys give the error that published clients know', async () => {
    const { api } = network.profile
    const cid = (await sdk.uploadText('x', apiKey)).data.Hash
    const unknown = 'f'.repeat(32)
    await expect(sdk.publishRecord(cid, unknown, apiKey)).rejects.toMatchObject(fault(500))
    await expect(sdk.removeKey(unknown, apiKey)).rejects.toMatchObject(fault(500))
    await expect(sdk.generateKey('wrong')).rejects.toMatchObject(fault(401))
    const { ipnsName } = (await sdk.generateKey(apiKey)).data
    await expect(sdk.publishRecord('bafynot', ipnsName, apiKey)).rejects.toMatchObject(fault(400))
    const headers = { authorization: `Bearer ${apiKey}` }
    const answer = await fetch(`${api}/api/ipns/publish_record?cid=${cid}&keyName=none`, { headers })
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ error: [{ message: 'Something went wrong.' }] })
    // A HEAD must not have the effect of a GET here.
    const before = (await sdk.getAllKeys(apiKey)).data.length
    expect((await fetch(`${api}/api/ipns/generate_key`, { method: 'HEAD', headers })).status).toBe(405)
    expect((await sdk.getAllKeys(apiKey)).data).toHaveLength(before)
  })
})
