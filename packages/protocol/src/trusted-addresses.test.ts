import { expect, test } from 'vitest'
import { parseNetworkProfile } from './network-profile.ts'
import {
  listAddressChanges,
  mergeTrustedAddresses,
  parseTrustedAddresses,
  trustedAddressesOf,
} from './trusted-addresses.ts'

const urls = { api: 'https://cairn.test', upload: 'https://cairn.test', gateway: 'https://ipfs.cairn.test' }
const chain = (chainId: number, paymentContract?: string) => ({
  name: `chain-${chainId}`,
  rpcUrl: 'https://rpc.test',
  chainId,
  symbol: 'ETH',
  nativeDecimals: 18,
  tokens: {},
  ...(paymentContract === undefined ? {} : { paymentContract }),
})
const keyNodes = [1, 2, 3, 4, 5].map((n) => `https://key${n}.test`)
const known = trustedAddressesOf(
  parseNetworkProfile({
    name: 'test',
    ...urls,
    keyRouter: 'https://keys.test',
    keyNodes,
    chains: [chain(137, '0xAb')],
  }),
)

test('lists what receives keys or payments and differs', () => {
  expect(known).toEqual({ keyRouter: 'https://keys.test', keyNodes, paymentContracts: { 137: '0xAb' } })
  expect(listAddressChanges(known, { ...known, paymentContracts: { 137: '0xaB' } }), 'the same address').toEqual([])
  const others = keyNodes.with(2, 'https://other.test')
  expect(
    listAddressChanges(known, { keyRouter: 'https://x.test', keyNodes: others, paymentContracts: { 137: '0xcd' } }),
  ).toEqual([
    { what: 'key router', before: 'https://keys.test', now: 'https://x.test' },
    { what: 'key nodes', before: keyNodes.join(' '), now: others.join(' ') },
    { what: 'payment contract of chain 137', before: '0xAb', now: '0xcd' },
  ])
})

test('what a profile omits stays known, and what it adds becomes known', () => {
  const bare = trustedAddressesOf(parseNetworkProfile({ name: 'test', ...urls, chain: chain(10, '0xef') }))
  expect(listAddressChanges(known, bare)).toEqual([])
  expect(mergeTrustedAddresses(known, bare)).toEqual({ ...known, paymentContracts: { 137: '0xAb', 10: '0xef' } })
})

test('parses what was stored, and nothing else', () => {
  expect(parseTrustedAddresses(JSON.parse(JSON.stringify(known)))).toEqual(known)
  for (const other of [undefined, null, 7, {}, { paymentContracts: { 1: 2 } }]) {
    expect(parseTrustedAddresses(other)).toBeUndefined()
  }
})
