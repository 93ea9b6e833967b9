import { sep } from 'node:path'
import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFolderIndex, writeFolderIndex } from './folder-index.ts'

const file = (path: string, entry = '0') => ({ path, entry, sizeBytes: 1 })
const readWith = (folders: string[], ...paths: string[]) => {
  const indexed = paths.map((path, i) => file(path, String(i)))
  return readFolderIndex(writeFolderIndex(indexed, folders))
}
const read = (...paths: string[]) => readWith([], ...paths)

test('decodes an encoded index', () => {
  const files = [file('a.txt'), file('b/c d.txt', '1'), file('b/e/ü', '12')]
  expect(readFolderIndex(writeFolderIndex(files))).toEqual({ files, folders: [] })
  expect(readFolderIndex(writeFolderIndex([]))).toEqual({ files: [], folders: [] })
  expect(readFolderIndex(writeFolderIndex(files, ['e', 'b/f']))).toEqual({ files, folders: ['e', 'b/f'] })
  // Readers of the first version know `version` and `files` alone.
  expect(new TextDecoder().decode(writeFolderIndex(files))).toBe(JSON.stringify({ version: 1, files }))
})

test.runIf(sep === '/')('accepts a backslash, which is not a separator here', () => {
  expect(read('a\\b', '..\\c').files.map(({ path }) => path)).toEqual(['a\\b', '..\\c'])
})

test('rejects paths that escape, repeat, or are both file and folder', () => {
  const others = sep === '/' ? [] : ['a\\b']
  for (const path of ['../a', 'a/../b', '/a', 'a//b', 'a/', '.', 'a/./b', 'a\0', ...others])
    for (const parse of [() => read(path), () => readWith([path])])
      expect(parse, path).toThrow(expect.objectContaining({ code: 'INVALID_PATH', details: { fileName: path } }))
  expect(() => read('a', 'a')).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
  expect(() => read('a/b', 'a')).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
  expect(() => read('a', 'a/b/c')).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
  for (const parse of [() => readWith(['a'], 'a'), () => readWith(['a'], 'a/b'), () => readWith(['a/b'], 'a')])
    expect(parse).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
  expect(() => readWith(['a', 'a'])).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
})

test('rejects any other input as not an index', () => {
  const texts = [
    '',
    'x',
    '{}',
    '{"version":2,"files":[]}',
    '{"version":1,"files":[{"path":"a","entry":"../x","sizeBytes":1}]}',
  ]
  for (const text of texts)
    expect(() => readFolderIndex(new TextEncoder().encode(text)), text).toThrow(
      expect.objectContaining({ code: 'NOT_ENCRYPTED' }),
    )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readFolderIndex(bytes)
        return false
      } catch (error) {
        return CairnError.is(error)
      }
    }),
  )
})
