import { CairnError } from '@cairn/protocol'
import { describe, expect, test } from 'vitest'
import { parseChains } from './chains.ts'

const rpcUrls = ['https://rpc.example/v2/secret']
const read = (chains: object) => parseChains(JSON.stringify({ chains }))

function refusal(text: string): CairnError {
  try {
    parseChains(text)
  } catch (error) {
    if (CairnError.is(error)) return error
  }
  throw new Error('was not refused')
}

test('documented names need only endpoints', () => {
  const chains = read({ Optimism: { rpcUrls }, devnet: { rpcUrls }, Coreum_Mainnet: { rpcUrls, confirmations: 0 } })
  expect(chains.find('evm', 'OPTIMISM')).toEqual({
    name: 'Optimism',
    family: 'evm',
    rpcUrls,
    chainId: '10',
    confirmations: 3,
    maxBlockAgeSeconds: 900,
  })
  expect(chains.find('solana', 'DEVNET').chainId).toBe('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')
  expect(chains.find('coreum', 'coreum_mainnet')).toMatchObject({ chainId: 'coreum-mainnet-1', confirmations: 0 })
})

test('a custom chain can replace documented names', () => {
  const chains = read({
    Local: { family: 'evm', chainId: 31337, rpcUrls, confirmations: 0, aliases: ['Optimism', 'BSC'] },
  })
  expect(chains.find('evm', 'bsc')).toMatchObject({ name: 'Local', chainId: '31337' })
  expect(chains.find('evm', 'local').maxBlockAgeSeconds).toBeUndefined()
  expect(chains.names).toEqual(['Local', 'BSC', 'Optimism'])
  expect(chains.all.length).toBe(1)
})

test('rejects chains that are not configured, and lists the configured ones', () => {
  const chains = read({ Optimism: { rpcUrls } })
  for (const name of ['Polygon', 'constructor', 'http://127.0.0.1', '']) {
    try {
      chains.find('evm', name)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: 'CHAIN_NOT_SUPPORTED', details: { chains: ['Optimism'] } })
    }
  }
  expect(() => chains.find('solana', 'Optimism')).toThrow('not supported')
  expect(() => parseChains('{"chains":{}}').find('evm', 'Optimism')).toThrow('not supported')
})

describe('rejected settings, without the URLs', () => {
  test.each([
    ['no JSON', 'chains:', 'not JSON'],
    ['no chains', '{}', 'chains is required'],
    [
      'an unknown key',
      '{"chains":{"Base":{"rpcUrls":["https://a.example/secret"],"url":"secret"}}}',
      'chains.Base.url',
    ],
    ['no endpoint', '{"chains":{"Base":{"rpcUrls":[]}}}', 'chains.Base.rpcUrls'],
    ['a file', '{"chains":{"Base":{"rpcUrls":["file:///secret"]}}}', 'chains.Base.rpcUrls.0'],
    ['a user', '{"chains":{"Base":{"rpcUrls":["https://me:secret@a.example"]}}}', 'chains.Base.rpcUrls.0'],
    ['no family', '{"chains":{"Mine":{"rpcUrls":["https://a.example/secret"]}}}', 'Mine requires a family'],
    ['no id', '{"chains":{"Destra":{"rpcUrls":["https://a.example/secret"]}}}', 'Destra requires a numeric chainId'],
    [
      'a name twice',
      '{"chains":{"Base":{"rpcUrls":["http://a"]},"BASE":{"rpcUrls":["http://a"]}}}',
      'BASE appears twice',
    ],
  ])('%s', (_what, text, reason) => {
    const error = refusal(text)
    expect([error.code, error.message]).toEqual(['INVALID_CONFIGURATION', expect.stringContaining(reason)])
    expect(JSON.stringify(error)).not.toContain('secret')
  })
})
