import { expect, test } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

const kibibyte = 1024
/** A clock on which nothing takes long. */
const stopped = () => 0

test.each([
  ['quotes in quotes', '> '.repeat(125 * kibibyte)],
  ['lists in lists', `${'- '.repeat(125 * kibibyte)}a`],
])('gives up on %s without reading them to the end', (_what, text) => {
  expect(readMarkdown(text, stopped)).toBeUndefined()
})

test.each([
  ['a word before an @', `${'a'.repeat(250 * kibibyte)}@`],
  ['emphasis that does not end', '**a'.repeat(85 * kibibyte)],
])('gives up on %s at a time limit, instead of blocking the page for minutes', (_what, text) => {
  let time = 0
  expect(readMarkdown(text, () => (time += 10))).toBeUndefined()
  expect(time).toBeLessThan(4_000)
})

test('reads large texts of common paragraphs, lists, quotes, tables and embedded pictures', () => {
  const paragraph = 'A *usual* paragraph with `code`, a [link](https://example.org) and **more** of it.\n'.repeat(8)
  const lists = '- one\n  - two\n    - three\n\n> quote\n>> in a quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n'
  const part = `${paragraph}\n${lists}`
  expect(readMarkdown(part.repeat(Math.floor((250 * kibibyte) / part.length)), stopped)?.length).toBeGreaterThan(1000)
  expect(readMarkdown(`![](data:image/png;base64,${'Ab0/'.repeat(60 * kibibyte)})`, stopped)).toHaveLength(1)
  expect(readMarkdown(`${'> '.repeat(60)}deep`, stopped)).toHaveLength(1)
})
