// The examples of the page run as printed; the product's own readers parse its sets and settings.
import { readFileSync } from 'node:fs'
import { evmMethods, parseAggregator, parseConditions } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseChains } from '../../services/keynode/src/conditions/chains.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const page = readFileSync(new URL('../../docs/how-to/conditions.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```json \S+\n(.*?)```/gs)].map((match) => match[1] ?? '')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork({}, 'local')
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  using folder = openExamples(page, network)
  expect(await folder.run('gate.ts')).toBe('false welcome\n')
})

test('the example of the command line checks the printed set', async () => {
  using folder = openExamples(page, network)
  expect(await folder.run('conditions check')).toMatch(
    /would not meet these conditions\.\n {2}\[1\] no, the chain returned "0"\n {2}\[2\] no/,
  )
})

test('every set and setting is valid as printed', () => {
  const sets = examples.filter((text) => text.includes('"conditions"'))
  const chains = examples.filter((text) => text.includes('"chains"'))
  expect([sets.length, chains.length]).toEqual([2, 1])
  for (const text of sets) parseConditions(JSON.parse(text))
  expect(parseChains(chains[0] ?? '').names).toEqual(['Local', 'Optimism', 'Polygon', 'Sepolia'])
  parseAggregator('([2] and [1]) or ![3]', [1, 2, 3])
})

test('the page lists every method of the standard contracts', () => {
  for (const [type, methods] of Object.entries(evmMethods)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? ''
    expect([...row.matchAll(/`(\w+)`/g)].map((match) => match[1])).toEqual([type, ...Object.keys(methods)])
  }
})
