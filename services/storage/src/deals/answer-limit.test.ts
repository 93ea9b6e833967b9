import { expect, test } from 'vitest'
import { createAnswerLimit } from './answer-limit.ts'

test('waits less for a provider that does not answer, and as before once it answers', () => {
  const limit = createAnswerLimit()
  const limits = Array.from({ length: 4 }, () => limit.next())
  expect(new Set(limits).size).toBe(1)
  for (let count = 0; count < 4; count++) limit.note(false)
  const short = limit.next()
  expect(short).toBeLessThan(limits[0] ?? 0)
  limit.note(false)
  expect(limit.next()).toBe(short)
  limit.note(true)
  expect(limit.next()).toBe(limits[0])
})
