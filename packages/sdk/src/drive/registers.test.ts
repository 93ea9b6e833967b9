// Properties of merging: the order, the number and the grouping of changes make no difference.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyChange,
  type Change,
  createRegisters,
  keepLive,
  listChanges,
  parseContent,
  splitChanges,
} from './registers.ts'
import { createStamp } from './stamp.ts'
import { buildView, createItemReader, indexUploads, isInTrash, namesIn, pathOf, type View } from './view.ts'

const folders = ['a', 'b', 'c', 'd'].map((letter) => `d-${letter.repeat(22)}`)
const cids = ['x', 'y', 'z'].map((letter) => `bafkrei${letter.repeat(52)}`)
const ids = [...folders, ...cids]

const value = fc.oneof(
  fc.tuple(fc.constantFrom(...folders), fc.constant('name'), fc.constantFrom('n', 'm', 'n (2)')),
  fc.tuple(fc.constantFrom(...ids), fc.constant('parent'), fc.constantFrom('', ...folders)),
  fc.tuple(fc.constantFrom(...ids), fc.constant('trashedAt'), fc.constantFrom(0, 7)),
  fc.tuple(fc.constantFrom(...ids), fc.constantFrom('tag/x', 'starred'), fc.boolean()),
  fc.tuple(fc.constantFrom(...cids), fc.constantFrom(...cids.map((cid) => `version/${cid}`)), fc.constantFrom(0, 5, 6)),
)
const change: fc.Arbitrary<Change> = fc.record({
  at: fc
    .tuple(fc.nat(6), fc.constantFrom('deviceA1', 'deviceB2'))
    .map(([ms, device]) => createStamp(undefined, ms + 1, device)),
  set: fc.uniqueArray(value, { maxLength: 5, selector: ([id, field]) => `${id} ${field}` }),
  clear: fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 1 }),
})
const changes = fc.array(change, { maxLength: 25 })

const stateOf = (list: readonly Change[]) => {
  const state = createRegisters()
  for (const one of list) applyChange(state, one)
  return state
}
/** Equal for equal states, whatever the order in their maps. */
const write = (list: readonly Change[]) =>
  JSON.stringify(
    listChanges(stateOf(list)).map(({ at, set, clear }) => [
      at,
      set.map((one) => JSON.stringify(one)).sort(),
      clear.sort(),
    ]),
  )
const uploads = cids.map((cid, at) => ({
  id: String(at),
  cid,
  fileName: at === 2 ? 'n' : 'same.txt',
  fileSizeInBytes: '5',
  mimeType: null,
  createdAt: 10 + at,
  encryption: false,
}))
const pathsOf = (view: View) =>
  [...view.nodes.values()]
    .map((node) => `${node.trashedAt === undefined ? '' : 'trash '}${pathOf(view, node)} ${node.id}`)
    .sort()

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
          // Merged states in place of their changes.
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

  test('what is computed once for all items of a view is what each item says', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const view = buildView(stateOf(list), indexUploads(uploads))
        const reader = createItemReader(view)
        for (const node of view.nodes.values()) {
          expect([reader.itemOf(node).path, reader.isInTrash(node)]).toEqual([
            pathOf(view, node),
            isInTrash(view, node),
          ])
          expect(reader.itemOf(node)).toBe(reader.itemOf(node))
        }
      }),
    )
  })

  test('content of another form is rejected, of whatever field', () => {
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

  test('equal states give equal trees without cycles, in which each item has a path and no content is lost', () => {
    fc.assert(
      fc.property(
        changes.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const view = buildView(stateOf(list), indexUploads(uploads))
          const paths = pathsOf(view)
          expect(pathsOf(buildView(stateOf(shuffled), indexUploads(uploads.toReversed())))).toEqual(paths)
          for (const { id, parent } of view.nodes.values()) {
            const seen = new Set<string>()
            for (let at = parent; at !== ''; at = view.nodes.get(at)?.parent ?? '') {
              expect(seen.has(at), `${id} is in a cycle`).toBe(false)
              seen.add(at)
            }
          }
          const shown = [...view.children.keys()].flatMap((folder) =>
            [...namesIn(view, folder).byName.keys()].map((name) => `${folder}/${name}`),
          )
          expect(new Set(shown).size).toBe(
            [...view.nodes.values()].filter(({ trashedAt }) => trashedAt === undefined).length,
          )
          const stored = new Set(
            [...view.nodes.values()].flatMap(({ versions = [] }) => versions.map(({ cid }) => cid)),
          )
          expect(stored).toEqual(new Set(cids))
        },
      ),
      { numRuns: 1000 },
    )
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
