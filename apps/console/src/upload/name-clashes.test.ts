import { expect, test } from 'vitest'
import { findClashes, resolveClashes } from './name-clashes.ts'
import { toTextItem } from './upload-item.ts'

const items = ['a.txt', ' a.txt', 'b.txt', 'trip/c.txt'].map((name) => toTextItem(name, name))
const isTaken = (name: string) => ['a.txt', 'a (2).txt', 'trip/c.txt'].includes(name)
const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)

test('uploads whose names are taken become versions, get numbers that nothing else has, or are skipped', () => {
  expect(namesOf(findClashes(items, isTaken))).toEqual(['a.txt', ' a.txt', 'trip/c.txt'])
  expect(resolveClashes(items, isTaken, 'version')).toEqual(items)
  expect(namesOf(resolveClashes(items, isTaken, 'both'))).toEqual(['a (3).txt', 'a (4).txt', 'b.txt', 'trip/c (2).txt'])
  expect(namesOf(resolveClashes(items, isTaken, 'skip'))).toEqual(['b.txt'])
})
