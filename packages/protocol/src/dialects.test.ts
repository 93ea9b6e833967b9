import { describe, expect, test } from 'vitest'
import { type DialectName, decodeError, encodeError, errorEncoders, httpStatus } from './dialects.ts'
import { CairnError } from './error.ts'
import { type ErrorCode, errorTable } from './errors.ts'

function receive(encoded: ReturnType<typeof encodeError>) {
  const headers = new Headers(encoded.headers)
  return { status: encoded.status, header: (name: string) => headers.get(name), body: encoded.body }
}

const names = Object.keys(errorEncoders) as DialectName[]
const codes = Object.keys(errorTable) as ErrorCode[]

describe.each(names)('dialect %s', (dialect) => {
  test.each(codes)('%s survives the wire', (code) => {
    const sent = new CairnError(code, { message: `about ${code}`, hint: 'do this', retryAfterSeconds: 3 })
    const got = decodeError(dialect, receive(encodeError(dialect, sent)))
    expect(got.code).toBe(code)
    expect(got.message).toBe(`about ${code}`)
    expect(got.hint).toBe('do this')
    expect(got.retryAfterSeconds).toBe(3)
    expect(got.status).toBe(dialect === 'kubo' && httpStatus(sent) === 404 ? 500 : httpStatus(sent))
  })

  test('never sends causes and stacks', () => {
    const cause = new Error('password=hunter2')
    const encoded = encodeError(dialect, new CairnError('INTERNAL', { cause }))
    expect(JSON.stringify(encoded)).not.toContain('hunter2')
    expect(encoded.body).not.toContain('dialects.test')
  })

  test.each(['', '<html>502</html>', '[]', 'null', '7', '{"error":null}', '{"error":{"message":7}}', '{"Message":[]}'])(
    'turns a foreign body %j into an error by its status',
    (body) => {
      const error = decodeError(dialect, { status: 502, header: () => null, body })
      expect(error.code).toBe('UPSTREAM_FAILED')
      expect(error.status).toBe(502)
    },
  )
})

test('Kubo’s dialect has one field named Code whatever the case, as Go reads names, and no 404, whose text Go drops', () => {
  for (const code of codes) {
    const { status, body } = encodeError('kubo', new CairnError(code))
    const fields = Object.keys(JSON.parse(body)).map((name) => name.toLowerCase())
    expect(new Set(fields).size, code).toBe(fields.length)
    expect(status, code).not.toBe(404)
  }
})

test('a status without a code keeps the sentence of the specification', () => {
  const error = decodeError('api', { status: 418, header: () => null, body: '' })
  expect(error.code).toBe('HTTP_ERROR')
  expect(error.message).toBe('Request failed with status code 418')
})

test('reads an unknown code of a newer service', () => {
  const body = JSON.stringify({ error: { code: 'FROM_THE_FUTURE', message: 'soon' } })
  const error = decodeError('api', { status: 400, header: () => null, body })
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: 'soon' })
})

test('a service never sends client-only codes as status 0', () => {
  expect(httpStatus(new CairnError('NETWORK_ERROR'))).toBe(500)
})

test('facts of a response are taken over only if they have the type of their name', () => {
  const decode = (details: unknown) =>
    decodeError('api', {
      status: 400,
      header: () => null,
      body: JSON.stringify({ error: { code: 'KEY_SAVE_FAILED', message: 'x', details } }),
    }).details
  const good = {
    missingBytes: 1,
    limit: 2,
    reason: 'a',
    coins: ['a'],
    done: [1],
    payment: { any: 1 },
    pay: [{ any: 1 }],
    issues: [{ field: 'a', message: 'b' }],
    nodes: [
      { node: 1, code: 'TIMEOUT' },
      { node: 2, code: 'TIMEOUT', message: 'b' },
    ],
  }
  expect(decode(good)).toEqual(good)
  const bad = {
    missingBytes: '1',
    limit: null,
    reason: 3,
    coins: 'a',
    done: ['1'],
    payment: [],
    pay: [1],
    issues: [{ field: 'a' }],
    nodes: [{ node: '1', code: 'TIMEOUT' }],
    pending: [{ node: 1, code: 'TIMEOUT', message: 4 }],
    open: {},
  }
  for (const [name, value] of Object.entries(bad))
    expect(decode({ [name]: value, cid: 'kept' })).toEqual({ cid: 'kept' })
  expect(decode([1])).toEqual({})
})
