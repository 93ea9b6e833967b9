import { expect, test } from 'vitest'
import { matchCommands } from './match-commands.ts'

const items = [
  { label: 'Names' },
  { label: 'Upload files', aliases: 'add send' },
  { label: 'Dark theme', aliases: 'night' },
  { label: 'Files' },
]
const find = (typed: string) => matchCommands(items, typed).map(({ label }) => label)

test('finds each typed word at the start of a word, also of an alias, without case and accents', () => {
  expect(find('the da')).toEqual(['Dark theme'])
  expect(find('NIGHT')).toEqual(['Dark theme'])
  expect(find('näm')).toEqual(['Names'])
  expect(find('ark')).toEqual([])
  expect(find('dark files')).toEqual([])
})

test('lists matches at the start first, and all commands without a search text', () => {
  expect(find('fi')).toEqual(['Files', 'Upload files'])
  expect(find(' ')).toEqual(items.map(({ label }) => label))
})
