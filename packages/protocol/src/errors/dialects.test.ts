import { describe, expect, test } from 'vitest'
import { codeHeader, type DialectName, decodeError, encodeError, errorEncoders, httpStatus } from './dialects.ts'
import { CairnError } from './error.ts'
import { listFacts } from './error-details.ts'
import { type ErrorCode, errorTable } from './error-table.ts'
import { localFacts } from './local-facts.ts'
import { restoreError } from './restore-error.ts'

function receive(encoded: ReturnType<typeof encodeError>) {
  const headers = new Headers(encoded.headers)
  return { status: encoded.status, header: (name: string) => headers.get(name), body: encoded.body }
}

const names = Object.keys(errorEncoders) as DialectName[]
const codes = Object.keys(errorTable) as ErrorCode[]

/** A value for each mark of facts. */
const examples: Readonly<Record<string, unknown>> = {
  '': 'a',
  '#': 1,
  '[]': ['a'],
  '#[]': [1],
  '{}': { any: 1 },
  '{}[]': [{ any: 1 }],
  '@': [{ node: 1, code: 'TIMEOUT' }],
  '!': [{ field: 'a', message: 'b' }],
}

function factsOf(code: ErrorCode): Record<string, unknown> {
  return Object.fromEntries(listFacts(code).map(({ name, mark }) => [name, examples[mark]]))
}

/** The bodies of other protocols cannot carry facts. */
function hasDetails(dialect: DialectName): boolean {
  return dialect !== 'pinning' && dialect !== 'gateway'
}

describe.each(names)('dialect %s', (dialect) => {
  test.each(codes)('%s survives the wire', (code) => {
    const sent = restoreError(code, {
      message: `about ${code}`,
      hint: 'do this',
      details: factsOf(code),
      retryAfterSeconds: 3,
    })
    const got = decodeError(dialect, receive(encodeError(dialect, sent)))
    expect(got.code).toBe(code)
    expect(got.message).toBe(`about ${code}`)
    expect(got.hint).toBe('do this')
    expect(got.retryAfterSeconds).toBe(3)
    if (!(code in localFacts)) expect(sent.details).toEqual(factsOf(code))
    expect(got.details).toEqual(hasDetails(dialect) ? sent.details : {})
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

test('Kubo’s dialect has one field named Code in any case, as Go reads names, and no 404, whose text Go drops', () => {
  for (const code of codes) {
    const { status, body } = encodeError('kubo', restoreError(code))
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

test('a response of a proxy says what to do about the proxy', () => {
  const decode = (status: number, code: string | null = null) =>
    decodeError('upload', { status, header: (name) => (name === codeHeader ? code : null), body: '<html></html>' }).hint
  expect(decode(413)).toContain('`client_max_body_size`')
  expect(decode(502)).toContain('cannot reach it')
  expect(decode(404)).toContain('not from Cairn')
  expect(decode(429)).toBe(new CairnError('RATE_LIMITED').hint)
  expect(decode(500)).toBe(restoreError('INTERNAL').hint)
  expect(decode(413, 'PAYLOAD_TOO_LARGE')).toBe(restoreError('PAYLOAD_TOO_LARGE').hint)
})

test('reads an unknown code of a newer service', () => {
  const body = JSON.stringify({ error: { code: 'FROM_THE_FUTURE', message: 'soon' } })
  const error = decodeError('api', { status: 400, header: () => null, body })
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: 'soon' })
})

test('a service never sends client-only codes as status 0', () => {
  expect(httpStatus(new CairnError('NETWORK_ERROR'))).toBe(500)
})

test('uses facts of a response only if they belong to the code and have the expected type', () => {
  const decode = (details: unknown, code: ErrorCode = 'KEY_SAVE_FAILED') =>
    decodeError('api', {
      status: 400,
      header: () => null,
      body: JSON.stringify({ error: { code, message: 'x', details } }),
    }).details
  const good = {
    name: 'a',
    done: [1],
    offsetBytes: 1,
    successor: 'b',
    issues: [{ field: 'a', message: 'b' }],
    nodes: [
      { node: 1, code: 'TIMEOUT' },
      { node: 2, code: 'TIMEOUT', message: 'b' },
    ],
  }
  expect(decode(good)).toEqual(good)
  expect(decode({ ...good, limit: 3, cid: 'a' })).toEqual(good)
  expect(decode({ limitBytes: 3, missingBytes: 4 }, 'PAYLOAD_TOO_LARGE')).toEqual({ limitBytes: 3 })
  const bad = {
    name: 3,
    offsetBytes: '1',
    done: ['1'],
    issues: [{ field: 'a' }],
    nodes: [{ node: '1', code: 'TIMEOUT' }],
    pending: [{ node: 1, code: 'TIMEOUT', message: 4 }],
    open: {},
  }
  for (const [name, value] of Object.entries(bad))
    expect(decode({ [name]: value, code: 'kept' })).toEqual({ code: 'kept' })
  expect(decode([1])).toEqual({})
})

test.each([
  ['30', 30],
  [' 0 ', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  [new Date(Date.now() + 10 * 86_400_000).toUTCString(), 86_400],
  ['99999999999', 86_400],
  ['', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['sometime GMT', undefined],
])('reads Retry-After %j of machines between as %j seconds', (text, seconds) => {
  const header = (name: string) => (name === 'retry-after' ? text : null)
  expect(decodeError('api', { status: 503, header, body: '<html>' })).toMatchObject({
    code: 'UNAVAILABLE',
    retryAfterSeconds: seconds,
  })
})

test.each([429, 502, 503, 504])('a response with the status %i of a machine between may be retried', (status) => {
  expect(decodeError('upload', { status, header: () => null, body: '<html>' })).toMatchObject({ status, retry: true })
})
