import { expect, test } from 'vitest'
import { namesBelow } from './names-below.ts'

const files = ['b.txt', 'a10.txt', 'a9.txt', 'day one/film.bin', 'day one/more/x'].map((path, sizeBytes) => ({
  path,
  sizeBytes,
}))
const names = (folder: string) => namesBelow(files, folder)?.map(({ name }) => name)

test('lists the files and folders of a folder, each once, folders first', () => {
  expect(names('')).toEqual(['day one', 'a9.txt', 'a10.txt', 'b.txt'])
  expect(namesBelow(files, 'day one')).toEqual([
    { name: 'more', sizeBytes: undefined },
    { name: 'film.bin', sizeBytes: 3 },
  ])
  expect(names('day one/more')).toEqual(['x'])
})

test('lists empty folders, which have no names of their own', () => {
  const empty = ['day one/later', 'never']
  const below = (folder: string) => namesBelow(files, folder, empty)?.map(({ name }) => name)
  expect(below('')).toEqual(['day one', 'never', 'a9.txt', 'a10.txt', 'b.txt'])
  expect(below('day one')).toEqual(['later', 'more', 'film.bin'])
  expect(below('never')).toEqual([])
  expect(below('nev')).toBeUndefined()
})

test('returns nothing for a path that is not a folder', () => {
  expect(names('day')).toBeUndefined()
  expect(names('b.txt')).toBeUndefined()
  expect(namesBelow([], '')).toEqual([])
})
