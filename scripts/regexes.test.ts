import { expect, test } from 'vitest'
import { findRegexes, isSuperLinear } from './regexes.ts'

test('finds the regular expressions of a source, and no text that looks like one', () => {
  const code =
    "const a = /x+$/g\nconst path = 'a/b+$/c'\n// /c/\nexport const f = (t: string) => t.replace(/[/]/u, '')\n"
  expect(findRegexes('a.ts', code)).toEqual([
    { line: 1, source: 'x+$', flags: 'g' },
    { line: 4, source: '[/]', flags: 'u' },
  ])
})

test.each([
  [String.raw`^(\w+):[ \t]*(.*?)[ \t]*$`, true],
  [String.raw`\/+$`, true],
  ['^(?:a+)+b', true],
  [String.raw`^\/+`, false],
  [String.raw`^(\w+):(.*)$`, false],
  [String.raw`^[\w-]{1,63}(?:\.[\w-]{1,63})*$`, false],
])('the time of %s grows with more than the length: %j', (source, expected) => {
  expect(isSuperLinear({ source, flags: '' })).toBe(expected)
})
