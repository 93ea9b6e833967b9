import { readFileSync } from 'node:fs'
import { evmMethods, parseAggregator, parseConditions } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { parseChains } from '../../services/keynode/src/conditions/chains.ts'

const page = readFileSync(new URL('../../docs/how-to/conditions.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map((match) => match[1] ?? '')

test('every example is good as it stands', () => {
  const sets = examples.filter((text) => text.includes('"conditions"'))
  const chains = examples.filter((text) => text.includes('"chains"'))
  expect([sets.length, chains.length]).toEqual([2, 1])
  for (const text of sets) parseConditions(JSON.parse(text))
  expect(parseChains(chains[0] ?? '').names).toEqual(['Local', 'Optimism', 'Polygon', 'Sepolia'])
  parseAggregator('([2] and [1]) or ![3]', [1, 2, 3])
})

test('the page names every method of the standard contracts', () => {
  for (const [type, methods] of Object.entries(evmMethods)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? ''
    expect([...row.matchAll(/`(\w+)`/g)].map((match) => match[1])).toEqual([type, ...Object.keys(methods)])
  }
})
