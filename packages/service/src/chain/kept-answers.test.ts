import { expect, test } from 'vitest'
import { createKeptAnswers } from './kept-answers.ts'

test('evicts answers of a clock that was ahead when it is set back', () => {
  const clock = { time: 86_400_000, now: () => clock.time }
  const kept = createKeptAnswers<number>(100, clock)
  kept.set('a', 1, 10, 19)
  clock.time = 0
  expect(kept.get('a')).toBeUndefined()
})

test('evicts answers when they expire, and the oldest when the cache is full', () => {
  const clock = { time: 0, now: () => clock.time }
  const kept = createKeptAnswers<number>(100, clock)
  kept.set('a', 1, 10, 19)
  kept.set('b', 2, 20, 19)
  expect([kept.get('a'), kept.get('b')]).toEqual([1, 2])
  kept.set('c', 3, 20, 19)
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 2, 3])
  clock.time = 20
  expect([kept.get('b'), kept.get('c')]).toEqual([undefined, undefined])
  kept.set('large', 4, 20, 50)
  expect(kept.get('large')).toBeUndefined()
  for (let turn = 0; turn < 3; turn++) kept.set('d', turn, 10, 40)
  expect(kept.get('d')).toBe(2)
})
