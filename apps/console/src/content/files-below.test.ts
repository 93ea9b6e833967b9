import { expect, test } from 'vitest'
import { filesBelow } from './files-below.ts'

const files = ['a.txt', 'day/one.txt', 'day/raw/two.txt', 'day two/three.txt', 'day'].map((path) => ({ path }))
const below = (folder: string) => filesBelow(files, folder).map(({ pathBelow }) => pathBelow)

test('lists files below a folder by their path from it, without those of a folder with the same prefix', () => {
  expect(below('day')).toEqual(['one.txt', 'raw/two.txt'])
  expect(below('day/raw')).toEqual(['two.txt'])
  expect(below('')).toEqual(files.map(({ path }) => path))
  expect(below('none')).toEqual([])
})
