import { expect, expectTypeOf, test } from 'vitest'
import { authErrors, type CallArguments, type CallInput, type CallResult, callPath } from './call.ts'
import type { createApiKey } from './calls/accounts.ts'
import type { listFiles } from './calls/files.ts'
import { allCalls } from './calls.ts'
import { errorTable } from './errors/error-table.ts'

test('percent-encodes parameters; a rest parameter keeps its slashes', () => {
  expect(callPath({ path: '/a/{id}/b' }, { id: 'x/../y?z' })).toBe('/a/x%2F..%2Fy%3Fz/b')
  expect(callPath({ path: '/ipfs/{cid}/{path*}' }, { cid: 'b', path: 'a b/ü#.txt' })).toBe(
    '/ipfs/b/a%20b/%C3%BC%23.txt',
  )
})

test('ids and routes are unique, and every call that needs a key declares its errors and scope', () => {
  expect(new Set(allCalls.map((call) => call.id)).size).toBe(allCalls.length)
  expect(new Set(allCalls.map((call) => `${call.host} ${call.method} ${call.path}`)).size).toBe(allCalls.length)
  for (const call of allCalls) {
    for (const code of call.errors) expect(errorTable[code].status, `${call.id} ${code}`).toBeGreaterThan(0)
    if (call.auth === 'apiKey' || call.auth === 'optionalApiKey') {
      expect(call.scope, call.id).toBeDefined()
      for (const code of authErrors) expect(call.errors, call.id).toContain(code)
    }
  }
})

test('a call declares the codes that its schemas use as messages', () => {
  const found = new Set<string>()
  for (const call of allCalls) {
    const messages = new Set<unknown>()
    const schemas = [call.params, call.query, call.headers, call.body?.kind === 'json' ? call.body.schema : undefined]
    for (const schema of schemas) collectMessages(schema, messages)
    for (const code of ['INVALID_CID', 'INVALID_ADDRESS', 'INVALID_LABEL'] as const) {
      if (!messages.has(errorTable[code].message)) continue
      expect(call.errors, `${call.id} ${code}`).toContain(code)
      found.add(code)
    }
  }
  expect(found.size).toBe(3)
})

/** Messages of the actions of a schema and of the schemas in it. */
function collectMessages(schema: unknown, messages: Set<unknown>): void {
  if (typeof schema !== 'object' || schema === null) return
  if ('message' in schema) messages.add(schema.message)
  for (const part of ['entries', 'pipe', 'wrapped', 'item', 'items', 'options', 'rest', 'value'] as const) {
    const inner: unknown = Reflect.get(schema, part)
    if (typeof inner === 'object' && inner !== null) {
      for (const one of part === 'wrapped' || part === 'item' ? [inner] : Object.values(inner))
        collectMessages(one, messages)
    }
  }
}

test('clients see the input side, handlers the output side', () => {
  expectTypeOf<CallInput<typeof listFiles>['query']['limit']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<CallArguments<typeof listFiles>['query']['limit']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<CallResult<typeof createApiKey>>().toEqualTypeOf<string>()
  expectTypeOf<CallInput<typeof createApiKey>>().toHaveProperty('body')
  expectTypeOf<CallInput<typeof createApiKey>>().not.toHaveProperty('query')
})
