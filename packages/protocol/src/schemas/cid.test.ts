import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { cidSchema, isAnyCid, isCid, toCidStart } from './cid.ts'

function vectors(name: string): string[] {
  return readFileSync(new URL(`./vectors/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('\\s', ' ').replaceAll('\\e', ''))
}

test.each(vectors('cid-valid'))('%s is a CID', (text) => expect(isCid(text)).toBe(true))
test.each(vectors('cid-invalid'))('"%s" is no CID', (text) => expect(isCid(text)).toBe(false))
test.each([undefined, null, 7, {}, ['Qm']])('%s is not a CID', (value) => expect(isCid(value)).toBe(false))

test('rejects a CID with a trailing line break if blanks are not trimmed', () => {
  expect(isCid('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH\n')).toBe(false)
})

test('the schema trims blanks and uses the sentence of the specification', () => {
  expect(v.parse(cidSchema, ' QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH ')).toHaveLength(46)
  expect(() => v.parse(cidSchema, 'nonsense')).toThrow('Invalid CID')
})

test('the form of any CID allows other hash functions, and no id of an upload', () => {
  for (const cid of [
    'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
    'bafk2bzaceaze3tycpxkkgcutfrcb6ns2exugwfz556slrzmjjasti4nydnzm6',
    'bafkqaaa',
    `BAFK2BZACE${'A'.repeat(90)}`,
    `f01551340${'0a'.repeat(64)}`,
    `k2jmtxs${'a'.repeat(60)}`,
    `z${'1'.repeat(80)}`,
  ]) {
    expect(isAnyCid(cid), cid).toBe(true)
  }
  for (const text of ['', 'b', 'bafk', '018f0000-0000-7000-8000-000000000000', 'bafk/../x', `b${'a'.repeat(300)}`, 7]) {
    expect(isAnyCid(text), `${text}`).toBe(false)
  }
})

test('the start of a CID is in lower case, unless it is of version 0', () => {
  expect(['BAFKreigh', 'bafk', 'QmbFMke1', 'qmb', ''].map(toCidStart)).toEqual([
    'bafkreigh',
    'bafk',
    'QmbFMke1',
    'qmb',
    '',
  ])
})
