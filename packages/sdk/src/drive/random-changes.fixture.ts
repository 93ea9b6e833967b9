// Changes to a few items, so that they collide: the input of the drive tests.
import fc from 'fast-check'
import { applyChange, type Change, createRegisters } from './log/registers.ts'
import { createStamp } from './log/stamp.ts'

export const folders = ['a', 'b', 'c', 'd'].map((letter) => `d-${letter.repeat(22)}`)
export const cids = ['x', 'y', 'z'].map((letter) => `bafkrei${letter.repeat(52)}`)
const ids = [...folders, ...cids]

const value = fc.oneof(
  fc.tuple(fc.constantFrom(...folders), fc.constant('name'), fc.constantFrom('n', 'm', 'n (2)')),
  fc.tuple(fc.constantFrom(...ids), fc.constant('parent'), fc.constantFrom('', ...folders)),
  fc.tuple(fc.constantFrom(...ids), fc.constant('trashedAt'), fc.constantFrom(0, 7)),
  fc.tuple(fc.constantFrom(...ids), fc.constantFrom('tag/x', 'starred'), fc.boolean()),
  fc.tuple(fc.constantFrom(...cids), fc.constantFrom(...cids.map((cid) => `version/${cid}`)), fc.constantFrom(0, 5, 6)),
)
export const change: fc.Arbitrary<Change> = fc.record({
  at: fc
    .tuple(fc.nat(6), fc.constantFrom('deviceA1', 'deviceB2'))
    .map(([ms, device]) => createStamp(undefined, ms + 1, device)),
  set: fc.uniqueArray(value, { maxLength: 5, selector: ([id, field]) => `${id} ${field}` }),
  clear: fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 1 }),
})
export const changes = fc.array(change, { maxLength: 25 })

export const stateOf = (list: readonly Change[]) => {
  const state = createRegisters()
  for (const one of list) applyChange(state, one)
  return state
}
