import { CairnError } from '@cairn/protocol'
import { expect, it } from 'vitest'
import { createPartMemory } from './part-memory.ts'

const codeOf = (work: () => void): unknown => {
  try {
    work()
    return 'none'
  } catch (error) {
    return CairnError.is(error) ? error.code : error
  }
}

it('limits one upload to half of the memory and all uploads to all of it, until they release theirs', () => {
  const memory = createPartMemory(1000)
  const [one, two, three] = [memory.open('TOO_MANY_PARTS'), memory.open('DAG_TOO_DEEP'), memory.open('TOO_MANY_PARTS')]
  one.acquire(500)
  expect(codeOf(() => one.acquire(1))).toBe('TOO_MANY_PARTS')
  two.acquire(400)
  expect(codeOf(() => three.acquire(101))).toBe('OVERLOADED')
  three.acquire(100)
  expect(codeOf(() => two.acquire(100))).toBe('OVERLOADED')
  one.release()
  one.release()
  two.acquire(100)
  expect(codeOf(() => two.acquire(1))).toBe('DAG_TOO_DEEP')
  three.acquire(400)
})
