import { expect, it } from 'vitest'
import { thrownCodeOf } from '../../../../tests/code-of.ts'
import { createPartMemory } from './part-memory.ts'

it('limits one upload to half of the memory and all uploads to all of it, until they release theirs', () => {
  const memory = createPartMemory(1000)
  const [one, two, three] = [memory.open('TOO_MANY_PARTS'), memory.open('DAG_TOO_DEEP'), memory.open('TOO_MANY_PARTS')]
  one.acquire(500)
  expect(thrownCodeOf(() => one.acquire(1))).toBe('TOO_MANY_PARTS')
  two.acquire(400)
  expect(thrownCodeOf(() => three.acquire(101))).toBe('OVERLOADED')
  three.acquire(100)
  expect(thrownCodeOf(() => two.acquire(100))).toBe('OVERLOADED')
  one.release()
  one.release()
  two.acquire(100)
  expect(thrownCodeOf(() => two.acquire(1))).toBe('DAG_TOO_DEEP')
  three.acquire(400)
})
