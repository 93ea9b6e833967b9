import { expect, test } from 'vitest'
import { readLifecycleRules } from './rules.ts'

const rule = { id: 'a', isEnabled: true, hasFilter: true, prefix: 'logs/', tags: [], days: 1 }

test('parses rules of one text once', () => {
  const rules = readLifecycleRules(JSON.stringify([rule]))
  expect(rules).toEqual([rule])
  // Each request reads the text from the database.
  expect(readLifecycleRules(JSON.stringify([rule]))).toBe(rules)
  expect(readLifecycleRules(JSON.stringify([{ ...rule, days: 2 }]))).toEqual([{ ...rule, days: 2 }])
  expect(readLifecycleRules(null)).toEqual([])
})
