// The example of the page runs as printed; the service's own readers parse its settings.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dealStates } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDealSettings, parseProviders } from '../../services/storage/src/settings/deal-settings.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runExample } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/proofs.md'), 'utf8')
const [providers = '', deals = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')

let network: TestNetwork
beforeAll(async () => {
  const settings = { waitSeconds: 0.2, challengeSeconds: 60, pollMs: 50 }
  network = await createTestNetwork({ CAIRN_DEALS: JSON.stringify(settings) }, 'none', 20, 2)
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  expect(page).toContain('verifyStorage')
  const output = await runExample(page, network)
  expect(output).toMatch(/^provider-\d: Proved 8 leaves/m)
  expect(output).toMatch(/proven\n$/)
})

test('the settings it shows are the defaults, and valid', () => {
  expect(parseDealSettings(deals)).toEqual(parseDealSettings(''))
  const keys = JSON.parse(providers).map((one: object) => ({ ...one, keyFile: undefined, key: 'k'.repeat(32) }))
  expect(parseProviders(JSON.stringify(keys)).map(({ name }) => name)).toEqual(['alder', 'birch'])
})

test('it lists every state', () => {
  for (const state of dealStates) expect(page).toContain(`| \`${state}\` |`)
})
