import { expect, it } from 'vitest'
import { createRunSlabs, createSlabMemory, type RunSlab, type RunSlabs } from './run-slabs.ts'

const nextOf = (slabs: RunSlabs): RunSlab => {
  const slab = slabs.next()
  if (slab === undefined) throw new Error('no memory for a slab')
  return slab
}

it('reuses a slab only after all of it was taken and an equal amount was passed on since', () => {
  const slabs = createRunSlabs(16, createSlabMemory(1000))
  const first = nextOf(slabs)
  first.waiting = 2
  const take = (slab: RunSlab) => {
    slabs.advance(8)
    slabs.release(slab)
  }
  const nextBusy = () => {
    const slab = nextOf(slabs)
    slab.waiting = 2
    return slab
  }
  take(first)
  slabs.advance(100)
  const others = [nextBusy(), nextBusy(), nextBusy(), nextBusy()]
  expect(others).not.toContain(first)
  take(first)
  expect(nextBusy()).not.toBe(first)
  slabs.advance(15)
  expect(nextBusy()).not.toBe(first)
  slabs.advance(1)
  expect(nextBusy()).toBe(first)
})

it('reads a long file with a handful of slabs', () => {
  const slabs = createRunSlabs(16, createSlabMemory(64))
  const used = new Set<unknown>()
  let before = nextOf(slabs)
  for (let run = 0; run < 1000; run++) {
    const slab = nextOf(slabs)
    used.add(slab)
    slab.waiting = 4
    while (before.waiting > 0) {
      slabs.advance(4)
      slabs.release(before)
    }
    before = slab
  }
  expect(used.size).toBeLessThan(5)
})

it('gives a reader enough slabs to continue, or none, and those of a finished reader to others', () => {
  const memory = createSlabMemory(8 * 16)
  const [one, two, three] = [1, 2, 3].map(() => createRunSlabs(16, memory)) as [RunSlabs, RunSlabs, RunSlabs]
  const readers = [one, two].map((slabs) => ({ slabs, before: nextOf(slabs) }))
  for (let run = 0; run < 100; run++) {
    expect(three.next()).toBeUndefined()
    for (const reader of readers) {
      const slab = nextOf(reader.slabs)
      slab.waiting = 1
      reader.slabs.advance(16)
      if (reader.before.waiting > 0) reader.slabs.release(reader.before)
      reader.before = slab
    }
  }
  one.drop()
  expect(nextOf(three).memory.byteLength).toBe(16)
})

it('gives a reader more than it needs only while half of the memory is free', () => {
  const memory = createSlabMemory(16 * 16)
  const busyOf = (slabs: RunSlabs): RunSlab | undefined => {
    const slab = slabs.next()
    if (slab !== undefined) slab.waiting = 1
    return slab
  }
  const first = createRunSlabs(16, memory)
  const held = Array.from({ length: 12 }, () => busyOf(first))
  expect(held.filter((slab) => slab !== undefined)).toHaveLength(8)
  const second = createRunSlabs(16, memory)
  expect(Array.from({ length: 6 }, () => busyOf(second)).filter((slab) => slab !== undefined)).toHaveLength(4)
})

it('frees the memory of a reader whose blocks are sent, except that of a pending read', () => {
  const slabs = createRunSlabs(16, createSlabMemory(1000))
  const sent = nextOf(slabs)
  sent.waiting = 1
  const read = nextOf(slabs)
  read.waiting = 1
  slabs.release(sent)
  const memory = [sent.memory, read.memory]
  slabs.drop(true)
  expect(memory.map(({ byteLength }) => byteLength)).toEqual([0, 16])
})
