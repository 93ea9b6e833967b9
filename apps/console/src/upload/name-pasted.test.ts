import { expect, test } from 'vitest'
import { namePasted } from './name-pasted.ts'

const now = new Date(2026, 11, 1, 9, 30, 5)
const named = (names: readonly string[]) =>
  namePasted(
    names.map((name) => ({ path: name, file: new File(['x'], name, { type: 'image/png', lastModified: 5 }) })),
    now,
  )

test('a pasted picture is named by the time, and other pasted files keep their names', () => {
  const [picture] = named(['image.png'])
  expect(picture?.path).toBe('Pasted image 2026-12-01 09.30.05.png')
  expect(picture?.file).toMatchObject({ name: picture?.path, type: 'image/png', lastModified: 5, size: 1 })
  for (const names of [['image one.png'], ['photos/image.png'], ['image'], ['image.png', 'image.jpg'], []])
    expect(named(names).map(({ path, file }) => [path, file.name])).toEqual(names.map((name) => [name, name]))
})
