import { expect, test } from 'vitest'
import { filesBelow } from './files-below.ts'

const files = ['a.txt', 'day/one.txt', 'day/raw/two.txt', 'day two/three.txt', 'day'].map((path) => ({ path }))
const below = (folder: string) => filesBelow(files, folder).map(({ pathBelow }) => pathBelow)

test('files below a folder have their paths from there, and those of a folder that only starts like it are not among them', () => {
  expect(below('day')).toEqual(['one.txt', 'raw/two.txt'])
  expect(below('day/raw')).toEqual(['two.txt'])
  expect(below('')).toEqual(files.map(({ path }) => path))
  expect(below('none')).toEqual([])
})
