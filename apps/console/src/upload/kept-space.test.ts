import { expect, test } from 'vitest'
import { createSpace } from './kept-space.ts'

const limits = { maxUploads: 3, maxFileBytes: 60, maxTotalBytes: 100 }

test('counts bytes before they are written, so that uploads started together stay within the limit', () => {
  const space = createSpace(limits, [['before', 30]])
  for (const id of ['one', 'two']) space.set(id, 0)
  expect(space.hold('one', [40, 10])).toBe(true)
  expect(space.hold('two', [21])).toBe(false)
  expect(space.hold('two', [20])).toBe(true)
  // It is not stored, so it reserves no bytes.
  expect(space.hold('three', [0])).toBe(false)
})

test('counts the bytes of a repeated encryption instead of the first ones', () => {
  const space = createSpace(limits, [
    ['first', 50],
    ['second', 50],
  ])
  expect(space.hold('first', [50])).toBe(true)
  expect(space.hold('first', [61])).toBe(false)
  // What did not fit leaves nothing.
  expect(space.hold('second', [50, 50])).toBe(true)
})

test('frees the space of uploads that ended', () => {
  const space = createSpace(limits, [
    ['first', 50],
    ['second', 50],
    ['third', 0],
  ])
  expect(space.hold('third', [1])).toBe(false)
  space.remove('first')
  expect(space.has('first')).toBe(false)
  expect(space.hold('third', [50])).toBe(true)
})

test('counts uploads before they are written, so that those started together stay within the limit', () => {
  const space = createSpace(limits, [['before', 0]])
  expect(['one', 'two', 'three', 'four'].map((id) => space.add(id, 0))).toEqual([true, true, false, false])
  // It already counts.
  expect(space.add('two', 10)).toBe(true)
  // An upload that could not be written frees its space.
  space.remove('one')
  expect(space.add('three', 0)).toBe(true)
})
