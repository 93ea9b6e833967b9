import { expect, test } from 'vitest'
import { describeFailure } from './describe-failure.ts'

test('lists what failed, each cause, and where', () => {
  const error = new TypeError('not a list', { cause: new RangeError('0 of 3', { cause: 'a text' }) })
  const lines = describeFailure('The page failed', error, '\n    at Files\n    at Shell').split('\n')
  expect(lines.slice(0, 3)).toEqual([
    'The page failed: TypeError: not a list',
    'Caused by: RangeError: 0 of 3',
    'Caused by: a text',
  ])
  expect(lines.some((line) => line.includes('describe-failure.test.ts'))).toBe(true)
  expect(lines.slice(-3)).toEqual(['Component stack:', 'at Files', '    at Shell'])
})

test('leaves out keys', () => {
  const url = 'https://cairn.example/link/abc?x=1#k-e_y'
  const key = 'a1'.repeat(32)
  const text = describeFailure('Failed', new Error(`${url} and ${key}.`, { cause: new Error(`(${url}) 0x${key}`) }))
  expect(text).not.toContain('k-e_y')
  expect(text).not.toContain('a1a1')
  expect(text.split('\n')[0]).toBe('Failed: Error: https://cairn.example/link/abc?x=1#… and ….')
})

test('stops at an error that is its own cause', () => {
  const error = new Error('round')
  error.cause = error
  expect(describeFailure('Failed', error).match(/Caused by/g)?.length).toBe(5)
})
