import { expect, test } from 'vitest'
import { countTurns } from './count-turns.fixture.ts'
import { inTurns } from './yield-to-others.ts'

test('a long list lets other work run, and ends with its request', async () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => at)
  const { result, turns } = await countTurns(() => Array.fromAsync(inTurns(numbers)))
  expect(result).toEqual(numbers)
  expect(turns).toBeGreaterThanOrEqual(19)
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(Array.fromAsync(inTurns(numbers, gone))).rejects.toThrow('gone')
})
