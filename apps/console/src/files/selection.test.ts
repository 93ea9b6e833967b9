import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepExisting, moveActive, noSelection, selectRow } from './selection.ts'

const order = ['a', 'b', 'c', 'd', 'e']

test('a click selects one row, Ctrl toggles it, Shift selects the range', () => {
  const one = selectRow(order, noSelection, 'b', 'only')
  expect([...one.ids]).toEqual(['b'])
  const two = selectRow(order, one, 'd', 'toggle')
  expect([...two.ids]).toEqual(['b', 'd'])
  expect([...selectRow(order, two, 'b', 'toggle').ids]).toEqual(['d'])
  expect([...selectRow(order, one, 'd', 'range').ids]).toEqual(['b', 'c', 'd'])
  expect([...selectRow(order, selectRow(order, noSelection, 'd', 'only'), 'a', 'range').ids]).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
})

test('the keyboard moves within the list, and Shift extends the selection', () => {
  const first = moveActive(order, noSelection, 1, false)
  expect(first.active).toBe('a')
  expect(first.ids.size).toBe(0)
  const far = moveActive(order, first, 99, true)
  expect(far.active).toBe('e')
  expect([...far.ids]).toEqual(order)
  expect(moveActive(order, noSelection, -1, false).active).toBe('e')
  expect(moveActive(order, noSelection, Number.POSITIVE_INFINITY, false).active).toBe('e')
  expect(moveActive(order, noSelection, Number.NEGATIVE_INFINITY, false).active).toBe('a')
})

test('deselects rows that are gone', () => {
  const all = selectRow(order, selectRow(order, noSelection, 'a', 'only'), 'e', 'range')
  expect([
    ...keepExisting(
      ['a', 'c'].map((id) => ({ id })),
      all,
    ).ids,
  ]).toEqual(['a', 'c'])
  expect(
    keepExisting(
      order.map((id) => ({ id })),
      all,
    ),
  ).toBe(all)
})

test('no sequence of clicks selects a row outside the list', () => {
  const press = fc.tuple(
    fc.constantFrom(...order),
    fc.constantFrom('only' as const, 'toggle' as const, 'range' as const),
  )
  fc.assert(
    fc.property(fc.array(press), (presses) => {
      const end = presses.reduce((state, [id, mode]) => selectRow(order, state, id, mode), noSelection)
      expect(order).toEqual(expect.arrayContaining([...end.ids]))
    }),
  )
})

test('keys act on the row that took the place of a removed one', () => {
  const rows = (...ids: string[]) => ids.map((id) => ({ id }))
  const at = (active: string, ...left: string[]) =>
    keepExisting(rows(...left), { ids: new Set([active]), anchor: active, active }, rows('a', 'b', 'c')).active
  expect(at('b', 'a', 'c')).toBe('c')
  expect(at('c', 'a', 'b')).toBe('b')
  expect(at('a', 'a', 'c')).toBe('a')
  expect(at('a')).toBeUndefined()
})
