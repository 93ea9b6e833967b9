// Sends every call of the API in every wrong way, and accepts only responses that the call declares.
import {
  allCalls,
  authErrors,
  type CallDefinition,
  callPath,
  codeHeader,
  commonErrors,
  errorReaders,
  isErrorCode,
  statusOf,
} from '@cairn/protocol'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

const calls = allCalls.filter(({ host }) => host === 'api')
const withKey = calls.filter(({ auth }) => auth === 'apiKey')
const optionalKey = calls.filter(({ auth }) => auth === 'optionalApiKey')
const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

let network: TestNetwork
let apiKey = ''
let revokedKey = ''

beforeAll(async () => {
  network = await createTestNetwork()
  apiKey = (await createTestKey(network)).apiKey
  revokedKey = (await createTestKey(network)).apiKey
  const answer = await fetch(`${network.profile.api}/api/auth/api_keys/${revokedKey.split('_')[1]}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${revokedKey}` },
  })
  expect(answer.status).toBe(200)
})
afterAll(() => network?.[Symbol.asyncDispose]())

type Sent = {
  params?: Record<string, string>
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: BodyInit
  type?: string
  key?: string
}

/** Values that pass the schemas, by field name. */
const good: Record<string, string> = {
  publicKey: `0x${'1'.repeat(40)}`,
  signedMessage: `0x${'0'.repeat(130)}`,
  cid,
  arg: cid,
  id: 'abc12345',
  fileName: 'name.txt',
}

/** The JSON Schema of a part of a call. */
function fieldsOf(
  call: CallDefinition,
  part: 'params' | 'query' | 'headers' | 'body',
): { name: string; required: boolean; type?: string }[] {
  const schema = part === 'body' ? (call.body?.kind === 'json' ? call.body.schema : undefined) : call[part]
  if (schema === undefined) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' })
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    ...(typeof property === 'object' && typeof property.type === 'string' ? { type: property.type } : {}),
  }))
}

const required = (call: CallDefinition, part: 'params' | 'query' | 'body') =>
  Object.fromEntries(
    fieldsOf(call, part)
      .filter((field) => field.required || part === 'params')
      .map(({ name }) => [name, good[name] ?? 'x']),
  )

async function send(call: CallDefinition, sent: Sent): Promise<Response> {
  const query = new URLSearchParams({ ...required(call, 'query'), ...sent.query })
  const path = callPath(call, { ...required(call, 'params'), ...sent.params })
  const jsonBody = call.body?.kind === 'json' ? JSON.stringify(required(call, 'body')) : undefined
  const body = sent.body ?? jsonBody
  return fetch(`${network.profile.api}${path}?${query}`, {
    method: call.method,
    headers: {
      ...sent.headers,
      ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
      ...(body === undefined ? {} : { 'content-type': sent.type ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
}

/** Checks for a declared code with the table's status, in the call's dialect; returns the code. */
async function expectDeclaredError(call: CallDefinition, answer: Response): Promise<string> {
  const code = answer.headers.get(codeHeader)
  const text = await answer.text()
  const label = `${call.id}: ${answer.status} ${code} ${text.slice(0, 300)}`
  if (!isErrorCode(code)) throw new Error(`no code: ${label}`)
  expect([...call.errors, ...commonErrors], label).toContain(code)
  // An option that only Kubo clients send makes an upload respond in their format.
  const dialect = call.dialect === 'upload' && /^\{"Message":/.test(text) ? 'kubo' : call.dialect
  expect(answer.status, label).toBe(statusOf(dialect, code))
  expect(answer.headers.get('x-request-id'), label).toBeTruthy()
  expect(answer.headers.get('content-type'), label).toContain('application/json')
  expect(errorReaders[dialect](JSON.parse(text))?.message, label).toBeTruthy()
  // The validation library's own English.
  expect(text, label).not.toMatch(/eceived (?:undefined|null|Object|Array|NaN|\d|\\")/)
  return code
}

describe.each(withKey.map((call) => [call.id, call] as const))('%s', (_id, call) => {
  test(' declares the errors of a wrong key', () => {
    expect(call.errors).toEqual(expect.arrayContaining([...authErrors]))
  })

  test(' needs a valid key', async () => {
    expect(await expectDeclaredError(call, await send(call, {}))).toBe('UNAUTHENTICATED')
    expect(await expectDeclaredError(call, await send(call, { key: 'wrong' }))).toBe('UNAUTHENTICATED')
    expect(await expectDeclaredError(call, await send(call, { key: revokedKey }))).toBe('API_KEY_REVOKED')
  })

  test('needs a key with its scope', async () => {
    const { scope } = call
    if (scope === undefined) throw new Error('a call with a key names a scope')
    const other = scope === 'account' ? 'files:read' : 'account'
    const { apiKey: narrow } = await createTestKey(network, generatePrivateKey(), { scopes: [other] })
    expect(await expectDeclaredError(call, await send(call, { key: narrow }))).toBe('FORBIDDEN')
  })
})

test.each(optionalKey.map((call) => [call.id, call] as const))(
  '%s needs no key, and refuses one that is wrong or has another scope',
  async (_id, call) => {
    expect(await expectDeclaredError(call, await send(call, {}))).not.toBe('UNAUTHENTICATED')
    expect(await expectDeclaredError(call, await send(call, { key: apiKey }))).not.toBe('UNAUTHENTICATED')
    expect(await expectDeclaredError(call, await send(call, { key: 'wrong' }))).toBe('UNAUTHENTICATED')
    expect(await expectDeclaredError(call, await send(call, { key: revokedKey }))).toBe('API_KEY_REVOKED')
    const { apiKey: narrow } = await createTestKey(network, generatePrivateKey(), { scopes: ['account'] })
    expect(await expectDeclaredError(call, await send(call, { key: narrow }))).toBe('FORBIDDEN')
  },
)

test('a list is not accepted as an object without properties', async () => {
  const answer = await fetch(`${network.profile.api}/api/webhooks/${crypto.randomUUID()}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '[null]',
  })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('body must be an object, but is a list of 1')
})

const isAccepted = ({ query }: CallDefinition, sent: Record<string, string>) => query !== undefined && v.is(query, sent)

describe.each(calls.map((call) => [call.id, call] as const))('%s', (_id, call) => {
  const key = () => (call.auth === 'apiKey' ? { key: apiKey } : {})

  test('refuses each field when it is wrong', async () => {
    for (const { name } of fieldsOf(call, 'query').filter((field) => field.required)) {
      for (const value of ['', '\u0000', '../../etc/passwd', 'x'.repeat(9000)]) {
        const answer = await send(call, { ...key(), query: { [name]: value } })
        // A label can be any text.
        if (answer.ok && isAccepted(call, { ...required(call, 'query'), [name]: value })) continue
        await expectDeclaredError(call, answer)
      }
    }
    for (const { name } of fieldsOf(call, 'query')) {
      await expectDeclaredError(call, await send(call, { ...key(), query: { [name]: 'x'.repeat(9000) } }))
    }
    for (const { name } of fieldsOf(call, 'headers')) {
      await expectDeclaredError(call, await send(call, { ...key(), headers: { [name]: 'x'.repeat(300) } }))
    }
    for (const { name } of fieldsOf(call, 'params')) {
      await expectDeclaredError(call, await send(call, { ...key(), params: { [name]: '%00!' } }))
      await expectDeclaredError(call, await send(call, { ...key(), params: { [name]: 'x'.repeat(500) } }))
    }
    for (const field of fieldsOf(call, 'body')) {
      for (const value of [null, { a: 1 }, field.type === 'array' ? 5 : ['x']]) {
        const body = { ...required(call, 'body'), [field.name]: value }
        // A few fields can be null.
        if (call.body?.kind === 'json' && v.is(call.body.schema, body)) continue
        await expectDeclaredError(call, await send(call, { ...key(), body: JSON.stringify(body) }))
      }
    }
  })

  test('refuses a body that is broken, of another type, or too large', async () => {
    if (call.body === undefined) return
    if (call.body.kind === 'json') {
      for (const body of ['{', '[]', '"x"', 'null', ''])
        await expectDeclaredError(call, await send(call, { ...key(), body }))
      const limit = call.limits.bodyBytes ?? 0
      expect(limit).toBeGreaterThan(0)
      const large = JSON.stringify({ x: 'y'.repeat(limit) })
      expect(await expectDeclaredError(call, await send(call, { ...key(), body: large }))).toBe('PAYLOAD_TOO_LARGE')
    }
    await expectDeclaredError(call, await send(call, { ...key(), body: 'x=y', type: 'text/plain' }))
    await expectDeclaredError(
      call,
      await send(call, { ...key(), body: '--b', type: 'multipart/form-data; boundary=b' }),
    )
  })

  test('refuses other methods', async () => {
    const taken = calls.filter(({ path }) => path === call.path).map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']) {
      if (taken.some((one) => one === method)) continue
      const answer = await fetch(`${network.profile.api}${callPath(call, required(call, 'params'))}`, { method })
      expect(answer.headers.get(codeHeader), `${method} ${call.path}`).toBe('METHOD_NOT_ALLOWED')
      expect(answer.headers.get('allow')).toContain(call.method)
    }
  })
})
