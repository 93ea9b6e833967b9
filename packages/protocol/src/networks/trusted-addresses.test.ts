import { expect, test } from 'vitest'
import { parseNetworkProfile } from './network-profile.ts'
import {
  listAddressChanges,
  mergeTrustedAddresses,
  parseTrustedAddresses,
  trustedAddressesOf,
} from './trusted-addresses.ts'

const chainOf = (name: string, chainId: number, paymentContract: string) => ({
  name,
  rpcUrl: 'https://rpc.test',
  chainId,
  symbol: 'ETH',
  nativeDecimals: 18,
  tokens: {},
  paymentContract,
})
const polygon = chainOf('polygon', 137, '0xAb')
const keyNodes = [1, 2, 3, 4, 5].map((n) => `https://key${n}.test`)
const urls = { api: 'https://cairn.test', upload: 'https://cairn.test', gateway: 'https://ipfs.cairn.test' }
const read = (rest: object) => trustedAddressesOf(parseNetworkProfile({ name: 'test', ...urls, ...rest }))
const full = { keyRouter: 'https://keys.test', keyNodes, chain: polygon, chains: [polygon] }
const known = read(full)
const changesOf = (rest: object) => listAddressChanges(known, read(rest)).map(({ what }) => what)

test('reports a new recipient of keys or payments as a change, however it is added', () => {
  const evil = '0xee'
  const cases: [object, string[]][] = [
    [full, []],
    [{ ...full, chains: [{ ...polygon, paymentContract: '0xaB' }] }, []],
    [{ ...full, keyRouter: 'https://x.test' }, ['key nodes']],
    [{ ...full, keyNodes: keyNodes.with(2, 'https://x.test') }, ['key nodes']],
    [{ ...full, keyNodes: keyNodes.toReversed() }, ['key nodes']],
    [{ ...full, chain: { ...polygon, paymentContract: evil } }, ['payment contracts']],
    [{ ...full, chains: [{ ...polygon, paymentContract: evil }, polygon] }, ['payment contracts']],
    [{ ...full, chains: [chainOf('first', 10, evil), polygon] }, ['payment contracts']],
    [{ ...full, chains: [{ ...polygon, chainId: 10 }] }, ['payment contracts']],
    [{ keyRouter: 'https://x.test', chains: [chainOf('first', 10, evil)] }, ['key nodes', 'payment contracts']],
  ]
  for (const [rest, whats] of cases) expect(changesOf(rest), JSON.stringify(rest)).toEqual(whats)
  const onlyNodes = read({ keyNodes })
  expect(listAddressChanges(onlyNodes, known), 'a router beside known nodes').toMatchObject([{ what: 'key nodes' }])
})

test('what a profile omits stays known, and the first of a kind becomes known', () => {
  expect(changesOf({})).toEqual([])
  expect(mergeTrustedAddresses(known, read({}))).toEqual(known)
  const withoutPayments = read({ keyNodes })
  const payments = read({ keyNodes, chains: [polygon] })
  expect(listAddressChanges(withoutPayments, payments)).toEqual([])
  expect(mergeTrustedAddresses(withoutPayments, payments)).toEqual(payments)
})

test('parses what was stored, and nothing else', () => {
  expect(parseTrustedAddresses(JSON.parse(JSON.stringify(known)))).toEqual(known)
  for (const other of [undefined, null, 7, {}, { keys: [], payments: [1] }]) {
    expect(parseTrustedAddresses(other)).toBeUndefined()
  }
})
