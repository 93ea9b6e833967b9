import { expect, test } from 'vitest'
import { idAfter, uuidv7 } from './uuid-v7.ts'

const format = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids are sorted by creation, within a millisecond and when the clock goes back', () => {
  const now = Date.now()
  const ids = [now, now, now - 1000, now + 1].map(uuidv7)
  for (const id of ids) expect(id).toMatch(format)
  expect(ids.toSorted()).toEqual(ids)
})

test('an id moves behind one of a clock ahead, and stays otherwise', () => {
  const own = uuidv7(Date.now())
  const hour = Number.parseInt(own.slice(0, 8) + own.slice(9, 13), 16) + 3_600_000
  const hex = hour.toString(16).padStart(12, '0')
  const ahead = `${hex.slice(0, 8)}-${hex.slice(8)}-7fff-bfff-ffffffffffff`
  const moved = idAfter(ahead, own)
  expect(moved).toMatch(format)
  expect(moved > ahead).toBe(true)
  expect(idAfter(own, ahead)).toBe(ahead)
  expect(idAfter(own, own)).toBe(own)
  expect(idAfter(undefined, own)).toBe(own)
})
