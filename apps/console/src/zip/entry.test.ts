import { expect, test } from 'vitest'
import { requireInside } from './entry.ts'

test('no name in a ZIP leads out of the folder it is unpacked to', () => {
  for (const name of ['../x', 'a/../x', 'a/..', '/x', 'a//x', 'a/./x', 'a\\..\\x', '..\\x', '\\x', 'a/x\0.txt', ''])
    expect(() => requireInside(name), JSON.stringify(name)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }))
})

test('keeps names that only look odd', () => {
  for (const name of ['a/x.txt', 'a\\x', '..x/x..', 'a/...', ' ', 'a/é\u{1f600}']) requireInside(name)
})
