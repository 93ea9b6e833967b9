import { expect, test } from 'vitest'
import { requireInside } from './entry.ts'

test('a ZIP has no name that leads out of the folder it is unpacked to', () => {
  for (const name of ['../x', 'a/../x', 'a/..', '/x', 'a//x', 'a/./x', 'a\\..\\x', '..\\x', '\\x', 'a/x\0.txt', ''])
    expect(() => requireInside(name), JSON.stringify(name)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }))
})

test('names that only look odd are kept', () => {
  for (const name of ['a/x.txt', 'a\\x', '..x/x..', 'a/...', ' ', 'a/é\u{1f600}']) requireInside(name)
})
