// The example of the page runs as printed; the service's own reader parses its settings.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { paymentStates } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePaymentSettings } from '../../services/storage/src/settings/payment-settings.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runExample } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/payments.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork({}, 'local')
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  expect(page).toContain('waitForCredit')
  expect(await runExample(page, network)).toBe('1 GiB costs 4 USDC\ncredited: 1073741958 bytes\n')
})

test('the settings it shows are valid, and fill in known values', () => {
  const settings = parsePaymentSettings(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  expect(settings).toMatchObject({
    networks: [{ name: 'polygon', chainId: 137, symbol: 'MATIC', finality: { tag: 'finalized' } }],
    prices: [{ symbol: 'MATIC', feeds: [{ rpcUrls: ['https://one.example', 'https://another.example'] }] }],
  })
  expect(settings.networks[0]?.tokens.map(({ coin }) => coin)).toEqual(['usdc', 'usdc', 'usdt', 'dai'])
})

test('it lists every state', () => {
  for (const state of paymentStates) expect(page).toContain(`| \`${state}\` |`)
})
