import { expect, it } from 'vitest'
import { createRunSlabs } from './run-slabs.ts'

it('reuses a slab only when all of it was taken and two more runs have begun', () => {
  const slabs = createRunSlabs(16)
  const first = slabs.next()
  first.waiting = 2
  const others = [slabs.next(), slabs.next(), slabs.next()]
  for (const slab of others) slab.waiting = 1
  expect(new Set([first, ...others]).size).toBe(4)
  slabs.release(first)
  expect(slabs.next()).not.toBe(first)
  slabs.release(first)
  const given: unknown[] = []
  for (let run = 0; run < 3; run++) {
    const slab = slabs.next()
    slab.waiting = 1
    given.push(slab)
  }
  expect(given.slice(0, 2)).not.toContain(first)
  expect(given[2]).toBe(first)
})

it('reads a long file with a handful of slabs', () => {
  const slabs = createRunSlabs(16)
  const used = new Set<unknown>()
  let before = slabs.next()
  for (let run = 0; run < 1000; run++) {
    const slab = slabs.next()
    used.add(slab)
    slab.waiting = 4
    while (before.waiting > 0) slabs.release(before)
    before = slab
  }
  expect(used.size).toBeLessThan(6)
})
