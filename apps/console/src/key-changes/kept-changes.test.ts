import { beforeEach, expect, test, vi } from 'vitest'
import { clearChange, clearChanges, type KeptChange, keepChange, recallChanges } from './kept-changes.ts'

/** Like the storage of a browser, its entries are its properties. */
function createStorage(): Record<string, string> {
  const methods = {
    getItem(this: Record<string, string>, name: string) {
      return this[name] ?? null
    },
    setItem(this: Record<string, string>, name: string, text: string) {
      this[name] = text
    },
    removeItem(this: Record<string, string>, name: string) {
      delete this[name]
    },
  }
  return Object.create(methods)
}

let stored = createStorage()
beforeEach(() => {
  stored = createStorage()
  vi.stubGlobal('window', { localStorage: stored })
  return () => vi.unstubAllGlobals()
})

const changeOf = (at: number, account = 'a'): KeptChange => ({
  ...{ id: `${account}-${at}`, account, cid: `cid-${at}`, name: `file ${at}`, startedAt: at },
})

test('keeps each unfinished change of an account, however many there are, oldest first', () => {
  const changes = Array.from({ length: 2_500 }, (_, at) => changeOf(at))
  for (const change of changes.toReversed()) keepChange(change)
  keepChange(changeOf(1, 'b'))
  keepChange(changeOf(1))
  expect(recallChanges('a')).toEqual(changes)
  clearChange('a-0')
  expect(recallChanges('a')).toEqual(changes.slice(1))
  clearChanges('a')
  expect([recallChanges('a'), recallChanges('b')]).toEqual([[], [changeOf(1, 'b')]])
})

test('takes over the list of an earlier version, and ignores foreign data', () => {
  stored['cairn.changes'] = JSON.stringify([changeOf(1), changeOf(2, 'b')])
  stored['cairn.change.x'] = '{"id":1}'
  stored['cairn.change.y'] = 'text'
  expect(recallChanges('a')).toEqual([changeOf(1)])
  expect([recallChanges('b'), stored['cairn.changes']]).toEqual([[changeOf(2, 'b')], undefined])
})

test('loses no change of the list of an earlier version when the storage is full', () => {
  const former = [changeOf(1), changeOf(2), changeOf(3)]
  stored['cairn.changes'] = JSON.stringify(former)
  let space = 1
  Object.setPrototypeOf(stored, {
    ...Object.getPrototypeOf(stored),
    setItem(this: Record<string, string>, name: string, text: string) {
      if (name.startsWith('cairn.change.') && space-- <= 0) throw new DOMException('full', 'QuotaExceededError')
      this[name] = text
    },
  })
  expect(recallChanges('a')).toEqual(former)
  expect(recallChanges('a')).toEqual(former)
  clearChange('a-2')
  space = 9
  expect(recallChanges('a')).toEqual([changeOf(1), changeOf(3)])
  expect(stored['cairn.changes']).toBeUndefined()
})
