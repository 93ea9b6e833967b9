import { expect, test } from 'vitest'
import { createDistinctNames } from './distinct-names.ts'

test('compares a long name of a stranger', async () => {
  const names = createDistinctNames('never-created')
  // If each dot and space were the start of its end, this would take hours.
  const name = `${' .'.repeat(1_000_000)}x`
  await names.add(name)
  expect(names.has(`${name}. .`)).toBe(true)
  expect(names.has(name.slice(0, -1))).toBe(false)
})
