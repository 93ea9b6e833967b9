// Sends every call of key nodes in every wrong way, to a node and through the router, and accepts only responses that
// the call declares, in the format that published clients can read.
import { proofHeader, proveRequest } from '@cairn/crypto'
import {
  allCalls,
  type CallDefinition,
  callPath,
  codeHeader,
  commonErrors,
  errorReaders,
  errorTable,
  isErrorCode,
  sessionErrors,
} from '@cairn/protocol'
import type { KeySession } from '@cairn/sdk'
import { toJsonSchema } from '@valibot/to-json-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'

const calls = allCalls.filter(({ host }) => host === 'keys')
const withSession = calls.filter(({ auth }) => auth === 'session')
const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const node = 2

let network: TestNetwork
let session: KeySession
beforeAll(async () => {
  network = await createTestNetwork()
  const { keySession } = await createKeyClient(network)
  if (keySession === undefined) throw new Error('a key client has a session')
  session = keySession
})
afterAll(() => network?.[Symbol.asyncDispose]())

type Place = 'node' | 'router'
const places: Place[] = ['node', 'router']
const baseOf = (place: Place) =>
  (place === 'node' ? network.profile.keyNodes?.[node - 1] : network.profile.keyRouter) ?? ''

/** Values that pass the schemas, by field name. */
const good = (): Record<string, unknown> => ({
  address: session.address,
  cid,
  node: String(node),
  payload: { key: '1', index: '1' },
  shareTo: [`0x${'1'.repeat(40)}`],
  revokeTo: [`0x${'1'.repeat(40)}`],
  newOwner: `0x${'1'.repeat(40)}`,
  conditions: [],
  role: 'owner',
  domain: 'x',
  id: '0b0e7f3c-8d4e-4b8e-9a55-2f3f4c5d6e7f',
  issuedAt: Date.now(),
  expiresAt: Date.now() + 1000,
  messages: ['x'],
  signature: '0x12',
  refreshToken: 'r:x',
})

function fieldsOf(call: CallDefinition, part: 'params' | 'query' | 'body'): { name: string; required: boolean }[] {
  const schema = part === 'body' ? (call.body?.kind === 'json' ? call.body.schema : undefined) : call[part]
  if (schema === undefined) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' })
  return Object.keys(properties).map((name) => ({ name, required: required.includes(name) }))
}
const filled = (call: CallDefinition, part: 'params' | 'query' | 'body') =>
  Object.fromEntries(
    fieldsOf(call, part)
      .filter((field) => field.required || part === 'params')
      .map(({ name }) => [name, good()[name]]),
  )

type Sent = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: string
  type?: string
  token?: string
}

async function send(call: CallDefinition, place: Place, sent: Sent = {}): Promise<Response> {
  const query = new URLSearchParams({ ...(filled(call, 'query') as Record<string, string>), ...sent.query })
  const path = callPath(call, { ...(filled(call, 'params') as Record<string, string>), ...sent.params })
  const target = query.size === 0 ? path : `${path}?${query}`
  const body = sent.body ?? (call.body === undefined ? undefined : JSON.stringify(filled(call, 'body')))
  const own = session.nodes[node - 1]
  const token = sent.token ?? own?.token ?? ''
  const proof = await proveRequest(
    { method: call.method, path: target, node, body: body ?? '', token },
    session.sessionKey,
    Date.now(),
  )
  return fetch(`${baseOf(place)}${target}`, {
    method: call.method,
    headers: {
      ...(call.auth === 'session' && sent.token !== ''
        ? { authorization: `Bearer ${token}`, [proofHeader]: proof }
        : {}),
      ...(body === undefined ? {} : { 'content-type': sent.type ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
}

/** Checks for a declared code with the table's status, never 404, in words that published clients do not misread. */
async function expectDeclaredError(call: CallDefinition, answer: Response): Promise<string> {
  const code = answer.headers.get(codeHeader)
  const text = await answer.text()
  const label = `${call.id}: ${answer.status} ${code} ${text.slice(0, 300)}`
  if (!isErrorCode(code)) throw new Error(`no code: ${label}`)
  expect([...call.errors, ...commonErrors], label).toContain(code)
  expect(answer.status, label).toBe(errorTable[code].status)
  expect(answer.status, label).not.toBe(404)
  expect(answer.headers.get('content-type'), label).toContain('application/json')
  expect(errorReaders[call.dialect](JSON.parse(text))?.message, label).toBeTruthy()
  expect(/fetch/i.test(text), label).toBe(false)
  if (code !== 'KEY_NOT_FOUND') expect(/null/i.test(text), label).toBe(false)
  return code
}

describe.each(withSession.map((call) => [call.id, call] as const))('%s', (_id, call) => {
  test(' declares the errors of a wrong session, and returns them', async () => {
    expect(call.errors).toEqual(expect.arrayContaining([...sessionErrors]))
    for (const place of places) {
      for (const token of ['', 'wrong', 'jwt:e30', 'a.b.c', session.nodes[0]?.token ?? '']) {
        const code = await expectDeclaredError(call, await send(call, place, { token }))
        expect(code, `${place} ${token.slice(0, 20)}`).toBe('INVALID_SIGNATURE')
      }
    }
  })
})

describe.each(calls.filter(({ auth }) => auth !== 'peer').map((call) => [call.id, call] as const))(
  '%s',
  (_id, call) => {
    test('refuses each field when it is wrong', async () => {
      for (const place of places) {
        for (const { name } of fieldsOf(call, 'params')) {
          await expectDeclaredError(call, await send(call, place, { params: { [name]: '%00!' } }))
          await expectDeclaredError(call, await send(call, place, { params: { [name]: 'x'.repeat(500) } }))
        }
        for (const { name } of fieldsOf(call, 'query'))
          await expectDeclaredError(call, await send(call, place, { query: { [name]: 'x'.repeat(500) } }))
        for (const { name, required } of fieldsOf(call, 'body')) {
          for (const value of required ? [null, { a: 1 }, 7] : [{ a: 1 }]) {
            const body = JSON.stringify({ ...filled(call, 'body'), [name]: value })
            await expectDeclaredError(call, await send(call, place, { body }))
          }
        }
      }
    })

    test('refuses a body that is broken or too large', async () => {
      if (call.body?.kind !== 'json') return
      for (const place of places) {
        for (const body of ['{', '[]', '"x"', '']) await expectDeclaredError(call, await send(call, place, { body }))
        const large = JSON.stringify({ x: 'y'.repeat(call.limits.bodyBytes ?? 0) })
        expect(await expectDeclaredError(call, await send(call, place, { body: large }))).toBe('PAYLOAD_TOO_LARGE')
      }
    })
  },
)

test.each(calls.filter(({ errors }) => errors.includes('INVALID_CONDITION')).map((call) => [call.id, call] as const))(
  '%s says of a payload without conditions what published clients know',
  async (_id, call) => {
    const body = JSON.stringify({ ...filled(call, 'body'), conditions: undefined })
    for (const place of places) {
      const answer = await send(call, place, { body })
      expect(answer.headers.get(codeHeader)).toBe('INVALID_CONDITION')
      expect(await answer.text()).toContain('Condition validation error: body.conditions is required')
    }
  },
)

test.each(calls.filter(({ auth }) => auth === 'peer').map((call) => [call.id, call] as const))(
  '%s is for peers alone',
  async (_id, call) => {
    expect(await expectDeclaredError(call, await send(call, 'node'))).toBe('INVALID_SIGNATURE')
    expect((await send(call, 'router')).status).toBe(404)
  },
)
