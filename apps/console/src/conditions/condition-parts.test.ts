import { expect, test } from 'vitest'
import { readField, readText, writeField } from './condition-parts.ts'

const condition = { id: 1, parameters: [':userAddress', 7], returnValueTest: { comparator: '>=', value: '1' } }

test('reads and writes a field by its path and changes nothing else', () => {
  expect(readField(condition, ['parameters', 1])).toBe(7)
  expect(readText(condition, ['returnValueTest'])).toBe('{"comparator":">=","value":"1"}')
  expect(readText(condition, ['contractAddress'])).toBe('')
  const changed = writeField(condition, ['returnValueTest', 'value'], '5')
  expect(changed).toEqual({ ...condition, returnValueTest: { comparator: '>=', value: '5' } })
  expect(condition.returnValueTest.value).toBe('1')
  expect(writeField(changed, ['parameters', 1], '8')['parameters']).toEqual([':userAddress', '8'])
})

test('undefined removes a field; prototype names are not fields', () => {
  expect(writeField(condition, ['parameters'], undefined)).not.toHaveProperty('parameters')
  expect(readField(condition, ['constructor'])).toBeUndefined()
  expect(readField(condition, ['parameters', 'length'])).toBeUndefined()
})
