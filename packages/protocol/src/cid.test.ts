import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { cidSchema, isCid } from './cid.ts'

function vectors(name: string): string[] {
  return readFileSync(new URL(`./vectors/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('\\s', ' ').replaceAll('\\e', ''))
}

test.each(vectors('cid-valid'))('%s is a CID', (text) => expect(isCid(text)).toBe(true))
test.each(vectors('cid-invalid'))('"%s" is no CID', (text) => expect(isCid(text)).toBe(false))
test.each([undefined, null, 7, {}, ['Qm']])('%s is no CID', (value) => expect(isCid(value)).toBe(false))

test('a CID with a line break behind it is refused where no blanks are dropped', () => {
  expect(isCid('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH\n')).toBe(false)
})

test('the schema drops blanks and says the sentence of the specification', () => {
  expect(v.parse(cidSchema, ' QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH ')).toHaveLength(46)
  expect(() => v.parse(cidSchema, 'nonsense')).toThrow('Invalid CID')
})
