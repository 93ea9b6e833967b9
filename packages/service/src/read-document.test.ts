import * as v from 'valibot'
import { expect, test } from 'vitest'
import { readDocument } from './read-document.ts'

const schema = v.strictObject({
  copies: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(20)),
  kind: v.optional(v.picklist(['cairn', 'filecoin'])),
  rpcUrls: v.optional(v.array(v.pipe(v.string(), v.url()))),
  key: v.optional(v.pipe(v.string(), v.minLength(16))),
})

function problemOf(document: unknown): string {
  const read = readDocument(schema, JSON.stringify(document))
  return 'problem' in read ? read.problem : ''
}

test.each([
  [{ copies: 0 }, 'copies must be at least 1, but is 0'],
  [{ copies: '2' }, 'copies must be a number, but is "2"'],
  [{}, 'copies is required'],
  [{ copies: 1, kind: 'ipfs' }, 'kind must be "cairn" or "filecoin", but is "ipfs"'],
  [{ copies: 1, maximum: 3 }, 'maximum is not allowed'],
  [[], 'copies is required'],
  ['x', 'the document must be an object'],
  [{ copies: 30, kind: 1 }, 'copies must be at most 20, but is 30; kind must be "cairn" or "filecoin", but is 1'],
])('%j: %s', (document, problem) => {
  expect(problemOf(document)).toBe(problem)
})

test('does not repeat values that may be secret', () => {
  expect(problemOf({ copies: 1, rpcUrls: ['https//rpc.example/v2/0123-access'] })).toBe('rpcUrls.0 must be a URL')
  expect(problemOf({ copies: 1, kind: 'https://rpc.example/access' })).toBe('kind must be "cairn" or "filecoin"')
  expect(problemOf({ copies: 1, key: 'short-secret' })).toBe('key must have at least 16 characters')
  expect(readDocument(schema, '{"key": secret')).toEqual({ problem: 'the document is not JSON' })
})

test('parses a valid document', () => {
  expect(readDocument(schema, '{"copies": 3}')).toEqual({ output: { copies: 3 } })
})
