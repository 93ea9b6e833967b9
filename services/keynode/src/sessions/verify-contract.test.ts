import { contractChecksPerMinute } from '@cairn/service'
import { contractYes, serveChain } from '@cairn/service/chain-endpoint-fixture'
import { expect, test } from 'vitest'
import { parseChains } from '../conditions/chains.ts'
import { createTestWallet, createText, startTestNode } from '../test-node.fixture.ts'
import { createNodeContractVerifier } from './verify-contract.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const signature = `0x${'ab'.repeat(100)}` as const
const address = `0x${'11'.repeat(20)}` as const

const settingsOf = (url: string, chainId = 31337) =>
  JSON.stringify({ chains: { Local: { family: 'evm', chainId, rpcUrls: [url], confirmations: 0 } } })

function createVerifier(settings: string) {
  const verify = createNodeContractVerifier(parseChains(settings), {
    clock: { now: () => Date.now() },
  })
  return (chain: string) => verify({ address, texts: ['a text'], signature, chain })
}

test('queries the named chain, or all; an endpoint of another chain decides nothing', async () => {
  using endpoint = await serveChain((method) => (method === 'eth_getCode' ? '0x60' : contractYes))
  const verify = createVerifier(settingsOf(endpoint.url))
  expect([await verify('local'), await verify('ALL')]).toEqual(['a text', 'a text'])
  await expect(verify('Elsewhere')).rejects.toMatchObject({ code: 'CHAIN_NOT_SUPPORTED' })
  await expect(createVerifier(settingsOf(endpoint.url, 1))('ALL')).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  await expect(createVerifier('{"chains":{}}')('ALL')).rejects.toMatchObject({ code: 'CHAIN_NOT_CONFIGURED' })
})

test('a node limits how often a caller makes it query chains', async () => {
  using endpoint = await serveChain(() => '0x')
  await using node = await startTestNode({
    CAIRN_KEYNODE_CHAINS: settingsOf(endpoint.url),
    CAIRN_RATE_FACTOR: '1',
  })
  const wallet = createTestWallet()
  const headers = { 'x-auth-message': Buffer.from(await createText(node, wallet)).toString('base64url') }
  const body = { address: wallet.address, cid }
  const call = async () =>
    (await node.call('POST', '/api/retrieveSharedKey/1', { token: signature, headers, body })).code
  for (let calls = 0; calls < contractChecksPerMinute.atNode; calls++) expect(await call()).toBe('INVALID_SIGNATURE')
  expect(await call()).toBe('RATE_LIMITED')
  expect(endpoint.requestCounts['eth_getCode']).toBeLessThan(contractChecksPerMinute.atNode)
})
