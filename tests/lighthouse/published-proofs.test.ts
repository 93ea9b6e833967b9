// Deals and proofs as the published SDKs read them, unchanged: `posdi` of 0.4.3, `dealStatus` of 0.4.3 and 0.4.7, and ours.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { createClient, uploadBytes } from '@cairn/sdk'
import * as dropIn from '@cairn/sdk/lighthouse'
import { Piece as Reference } from '@web3-storage/data-segment'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { untilProven } from '../until-proven.ts'

type Wire = { index: string; path: string[] }
type Proof = {
  verifierData: { commPc: string; sizePc: string }
  inclusionProof: { proofIndex: Wire; proofSubtree: Wire }
  indexRecord: { checksum: string; size: string }
}
type Peer = {
  dealStatus(cid: string): Promise<{ data: Record<string, unknown>[] }>
  posdi?(cid: string): Promise<{ data: { pieceCID: string; dealInfo: { dealId: number; proof: Proof }[] } }>
}

const require = createRequire(import.meta.url)
const unknownCid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
let network: TestNetwork
let cid: string
let piece: string

beforeAll(async () => {
  const deals = JSON.stringify({ waitSeconds: 0.2, challengeSeconds: 30, pollMs: 50 })
  network = await createTestNetwork({ CAIRN_DEALS: deals }, 'none', 20, 2)
  const { apiKey } = await createTestKey(network)
  const client = createClient({ network: network.profile, apiKey })
  ;({ cid } = await uploadBytes(client, randomBytes(20_000), { name: 'proven' }))
  piece = (await untilProven(client, cid)).pieces[0]?.piece ?? ''
})
afterAll(() => network?.[Symbol.asyncDispose]())

describe.each(['lighthouse-sdk-0.4.3', '@lighthouse-web3/sdk', 'our drop-in'])('%s', (name) => {
  let peer: Peer

  beforeAll(() => {
    const { api, upload, gateway } = network.profile
    const hosts = { lighthouseAPI: api, lighthouseNode: upload, lighthouseGateway: gateway }
    if (name === 'our drop-in') {
      Object.assign(dropIn.lighthouseConfig, hosts)
      peer = dropIn.default
      return
    }
    const config = require(`${name}/dist/lighthouse.config`)
    Object.assign(config.lighthouseConfig ?? config.defaultConfig, hosts)
    peer = require(name).default
  })

  test('dealStatus lists the deals in every spelling', async () => {
    const { data } = await peer.dealStatus(cid)
    expect(data).toHaveLength(2)
    for (const deal of data) {
      expect(deal).toMatchObject({ dealStatus: 'Active: Proving', payloadCid: cid, pieceSize: 32_768 })
      expect(deal['DealID']).toEqual(expect.any(Number))
      expect(deal['Provider']).toMatch(/^\S+$/)
    }
  })

  test('dealStatus is an empty list while there is no deal', async () => {
    expect((await peer.dealStatus(unknownCid)).data).toEqual([])
  })

  test.skipIf(name === '@lighthouse-web3/sdk')('posdi returns a valid inclusion proof', async () => {
    if (peer.posdi === undefined) throw new Error('there is no posdi')
    const { data } = await peer.posdi(cid)
    const { link } = Reference.fromString(piece as never).toInfo()
    expect(data.pieceCID).toBe(link.toString())
    expect(data.dealInfo).toHaveLength(2)
    const { Aggregate } = await import('@web3-storage/data-segment')
    for (const { dealId, proof } of data.dealInfo) {
      expect(dealId).toBeGreaterThan(0)
      const path = ({ index, path: nodes }: Wire) => [
        BigInt(`0x${index}`),
        nodes.map((node) => Uint8Array.from(Buffer.from(node, 'hex'))),
      ]
      const { proofSubtree, proofIndex } = proof.inclusionProof
      const found = Aggregate.InclusionProof.resolveAggregate(
        [path(proofSubtree), path(proofIndex)] as never,
        CID.parse(piece) as never,
      )
      expect(found.error).toBeUndefined()
      expect(Number.parseInt(proof.verifierData.sizePc, 16)).toBe(32_768)
      expect(proof.verifierData.commPc).toBe(Buffer.from(Reference.fromString(piece as never).root).toString('hex'))
    }
  })

  test.skipIf(name === '@lighthouse-web3/sdk')('posdi reports that there is no proof yet', async () => {
    await expect(peer.posdi?.(unknownCid)).rejects.toThrow("Proof Doesn't exist yet")
  })
})

test('the published calls about possession answer, too', async () => {
  const { api, wallet } = network.profile
  const answer = await fetch(`${api}/api/lighthouse/pdp_deal_status?cid=${cid}`)
  const rows: Record<string, unknown>[] = await answer.json()
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatchObject({ cid, dealStatus: 'Active: Proving', transactionDetails: { TXHash: '' } })
  const { apiKey } = await createTestKey(network, wallet.privateKey as `0x${string}`)
  const ask = (what: string) =>
    fetch(`${api}/api/lighthouse/pdp_deal_request?cid=${what}`, { headers: { authorization: `Bearer ${apiKey}` } })
  expect(await (await ask(cid)).json()).toBe('Success')
  expect((await ask(unknownCid)).status).toBe(404)
})
