// Properties of merging: the order, the number and the grouping of changes make no difference.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changes, stateOf } from '../random-changes.fixture.ts'
import { type Change, keepLive, listChanges, parseContent, splitChanges } from './registers.ts'
import { createStamp } from './stamp.ts'

/** Equal for equal states, whatever the order in their maps. */
const write = (list: readonly Change[]) =>
  JSON.stringify(
    listChanges(stateOf(list)).map(({ at, set, clear }) => [
      at,
      set.map((one) => JSON.stringify(one)).sort(),
      clear.sort(),
    ]),
  )
describe('merging', () => {
  test('is commutative, associative and idempotent', () => {
    fc.assert(
      fc.property(
        changes.chain((list) =>
          fc.tuple(
            fc.constant(list),
            fc.shuffledSubarray(list, { minLength: list.length }),
            fc.subarray(list),
            fc.nat(list.length),
          ),
        ),
        ([list, shuffled, again, cut]) => {
          const expected = write(list)
          expect(write([...shuffled, ...again])).toBe(expected)
          // Merged states instead of their changes.
          const [left, right] = [shuffled.slice(0, cut), shuffled.slice(cut)]
          expect(write([...listChanges(stateOf(right)), ...listChanges(stateOf(left))])).toBe(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('dropping replaced values and splitting into parts keep the state', () => {
    fc.assert(
      fc.property(changes, fc.integer({ min: 200, max: 2000 }), (list, maxBytes) => {
        const live = keepLive(stateOf(list), list)
        expect(write(live)).toBe(write(list))
        const parts = splitChanges(list, maxBytes)
        expect(write(parts.toReversed().flat())).toBe(write(list))
        for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(maxBytes + 300)
      }),
    )
  })

  test('rejects content of another form, in any field', () => {
    const at = createStamp(undefined, 1, 'deviceA1')
    const right: Change = { at, set: [['x', 'name', 'n']], clear: ['y'] }
    expect(parseContent(JSON.stringify({ changes: [right] }))).toEqual({ changes: [right], tips: [] })
    for (const wrong of [
      { ...right, at: 'now' },
      { ...right, clear: ['/'] },
      { ...right, clear: undefined },
      { ...right, set: [['x', 'name']] },
      { ...right, set: [['x', 'name', 'n', 1]] },
      { ...right, set: [['', 'name', 'n']] },
      { ...right, set: [['x', 7, 'n']] },
      { ...right, set: [['x', 'name', null]] },
      { ...right, set: [['x', 'name', 0.5]] },
      { ...right, set: [['x', 'name', 'n'.repeat(4097)]] },
      { ...right, set: [['x', 'n'.repeat(401), 'n']] },
      'text',
    ]) {
      expect(() => parseContent(JSON.stringify({ changes: [wrong] })), JSON.stringify(wrong).slice(0, 80)).toThrow(
        /cannot read/,
      )
    }
    for (const text of ['', '[]', '{}', '{"changes":1}', '{"changes":[],"tips":[1]}'])
      expect(() => parseContent(text), text).toThrow(/cannot read/)
  })
})

test('a stamp is after every one seen, and close to the clock', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 12), fc.nat(10 ** 12), (first, second) => {
      const seen = createStamp(undefined, first, 'deviceA1')
      const next = createStamp(seen, second, 'deviceB2')
      expect(next > seen).toBe(true)
      expect(Number.parseInt(next.slice(0, 9), 36)).toBe(Math.max(first, second))
    }),
  )
  const full = `000000001zzzz-deviceA1`
  expect(createStamp(full, 0, 'deviceA1')).toBe('0000000020000-deviceA1')
})
