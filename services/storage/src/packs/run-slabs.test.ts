import { expect, it } from 'vitest'
import { createRunSlabs, createSlabMemory, type RunSlab, type RunSlabs } from './run-slabs.ts'

const nextOf = (slabs: RunSlabs): RunSlab => {
  const slab = slabs.next()
  if (slab === undefined) throw new Error('no memory for a slab')
  return slab
}

it('reuses a slab only when all of it was taken and two more runs have begun', () => {
  const slabs = createRunSlabs(16, createSlabMemory(1000))
  const first = nextOf(slabs)
  first.waiting = 2
  const others = [nextOf(slabs), nextOf(slabs), nextOf(slabs)]
  for (const slab of others) slab.waiting = 1
  expect(new Set([first, ...others]).size).toBe(4)
  slabs.release(first)
  const fifth = nextOf(slabs)
  fifth.waiting = 1
  expect(fifth).not.toBe(first)
  slabs.release(first)
  const given: unknown[] = []
  for (let run = 0; run < 3; run++) {
    const slab = nextOf(slabs)
    slab.waiting = 1
    given.push(slab)
  }
  expect(given.slice(0, 2)).not.toContain(first)
  expect(given[2]).toBe(first)
})

it('reads a long file with a handful of slabs', () => {
  const slabs = createRunSlabs(16, createSlabMemory(96))
  const used = new Set<unknown>()
  let before = nextOf(slabs)
  for (let run = 0; run < 1000; run++) {
    const slab = nextOf(slabs)
    used.add(slab)
    slab.waiting = 4
    while (before.waiting > 0) slabs.release(before)
    before = slab
  }
  expect(used.size).toBeLessThan(6)
})

it('gives a reader enough slabs to go on, or none, and those of a reader that has ended to others', () => {
  const memory = createSlabMemory(8 * 16)
  const [one, two, three] = [1, 2, 3].map(() => createRunSlabs(16, memory)) as [RunSlabs, RunSlabs, RunSlabs]
  const readers = [one, two].map((slabs) => ({ slabs, before: nextOf(slabs) }))
  for (let run = 0; run < 100; run++) {
    expect(three.next()).toBeUndefined()
    for (const reader of readers) {
      const slab = nextOf(reader.slabs)
      slab.waiting = 1
      if (reader.before.waiting > 0) reader.slabs.release(reader.before)
      reader.before = slab
    }
  }
  one.drop()
  expect(nextOf(three).memory.byteLength).toBe(16)
})
