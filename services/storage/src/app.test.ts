import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { allCalls, type CallDefinition } from '@cairn/protocol'
import { createReadiness } from '@cairn/service'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from './app.ts'
import { createNameResolver } from './names/names.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from './start-test-storage.fixture.ts'

let storage: TestStorage
beforeAll(async () => {
  storage = await startTestStorage()
})
afterAll(() => storage[Symbol.asyncDispose]())

/** Returns the names of the headers that a call reads. */
function headerNames({ headers }: CallDefinition): string[] {
  return headers !== undefined && 'entries' in headers ? Object.keys(Object(headers.entries)) : []
}

/** Sends raw bytes and reads until the connection ends. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(storage.apiUrl).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

test('every route is a call of the list, and every call of this host has a route', async () => {
  const { context, profile } = storage
  const readiness = createReadiness({}, context.log)
  await using app = createApp({
    context,
    names: createNameResolver(context, undefined),
    providers: [],
    readiness,
    publicListeners: 2,
    profile: () => profile,
    stop: new AbortController().signal,
  })
  await app.ready()
  const calls = allCalls.filter(({ host }) => host === 'api')
  const served = app.cairnRoutes.filter(({ method }) => method !== 'HEAD')
  expect(served.flatMap(({ callId }) => callId ?? []).sort()).toEqual(calls.map(({ id }) => id).sort())
  for (const { method, url, callId } of served) {
    if (callId === undefined) expect(url).toMatch(/^\/docs($|\/)/)
    else expect(calls.find(({ id }) => id === callId)?.method).toBe(method)
  }
})

describe('every answer', () => {
  test('has a request id, and headers that stop content sniffing', async () => {
    const { status, headers, json } = await storage.call('/healthz')
    expect(status).toBe(200)
    expect(json).toEqual({ status: 'ok' })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('to a HEAD has the headers of its GET and no body', async () => {
    const { status, headers, body } = await storage.call('/healthz', { method: 'HEAD' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/json')
    expect(body).toBe('')
  })
})

describe('errors', () => {
  const expectError = (answer: Awaited<ReturnType<TestStorage['call']>>, status: number, code: string) => {
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-cairn-code')).toBe(code)
    const requestId = answer.headers.get('x-request-id')
    expect(requestId).toBeTruthy()
    expect(answer.json).toMatchObject({ error: { code, message: expect.any(String), requestId } })
  }

  test('an unknown path is NOT_FOUND', async () => {
    expectError(await storage.call('/nowhere'), 404, 'NOT_FOUND')
  })

  test('a known path with another method is METHOD_NOT_ALLOWED', async () => {
    expectError(await storage.call('/healthz', { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED')
    expect((await storage.call('/healthz', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD')
    expectError(await storage.call('/api/auth/api_keys/abc', { method: 'PUT' }), 405, 'METHOD_NOT_ALLOWED')
    const query = await storage.call('/healthz', { method: 'QUERY' })
    expectError(query, 405, 'METHOD_NOT_ALLOWED')
    expect(query.headers.get('allow')).toBe('GET, HEAD')
    expectError(await storage.call('/nowhere', { method: 'QUERY' }), 404, 'NOT_FOUND')
  })

  test('a path that is not valid text is INVALID_REQUEST', async () => {
    expectError(await storage.call('/api/auth/%ff'), 400, 'INVALID_REQUEST')
  })

  test('a wrong address is rejected in the published words', async () => {
    const answer = await storage.call('/api/auth/get_message?publicKey=0x12')
    expectError(answer, 400, 'INVALID_ADDRESS')
    expect(answer.body).toContain('Invalid public Key')
  })

  test('one error lists all wrong fields', async () => {
    const answer = await storage.call(
      '/api/auth/create_api_key',
      jsonBody({ publicKey: `0x${'1'.repeat(40)}`, scopes: [] }),
    )
    expectError(answer, 400, 'INVALID_REQUEST')
    expect(answer.json).toMatchObject({
      error: { details: { issues: [{ field: 'body.signedMessage' }, { field: 'body.scopes' }] } },
    })
  })

  test('rejects missing, broken and hostile JSON, another content type and too large a body', async () => {
    const post = (body: string, type = 'application/json') =>
      storage.call('/api/auth/create_api_key', { method: 'POST', headers: { 'content-type': type }, body })
    expectError(await post('{'), 400, 'INVALID_REQUEST')
    expectError(await post('{"__proto__":{"a":1},"publicKey":"x"}'), 400, 'INVALID_REQUEST')
    expect([400, 415]).toContain((await post('<x/>', 'text/xml')).status)
    expectError(await post(`{"publicKey":"${'x'.repeat(70_000)}"}`), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('oversized headers and invalid HTTP get a response of the same form', async () => {
    const large = await sendRaw(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1\.1 431 /)
    expect(large).toContain('"code":"HEADER_TOO_LARGE"')
    const wrong = await sendRaw('EHLO cairn\r\n\r\n')
    expect(wrong).toMatch(/^HTTP\/1\.1 400 /)
    expect(wrong).toContain('"code":"INVALID_REQUEST"')
  })

  test('a sender in the middle of a large body still receives the error', async () => {
    const sent = request(`${storage.apiUrl}/api/v0/add`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', authorization: 'Bearer wrong' },
    })
    const answered = once(sent, 'response')
    // Continues sending as published clients do, regardless of the answer.
    const piece = Buffer.alloc(256 * 1024)
    const pump = () => {
      while (!sent.destroyed && sent.write(piece));
    }
    sent.on('drain', pump).on('error', () => undefined)
    pump()
    const [answer] = await answered
    let body = ''
    for await (const chunk of answer.setEncoding('utf8')) body += chunk
    expect(answer.statusCode).toBe(401)
    expect(JSON.parse(body)).toMatchObject({ error: 'Authentication failed', code: 'UNAUTHENTICATED' })
    sent.destroy()
  })
})

describe('browsers', () => {
  test('can call from any origin, without credentials', async () => {
    const { headers } = await storage.call('/healthz', { headers: { origin: 'https://app.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toContain('X-Cairn-Code')
    // A cacheable answer must be valid for every origin.
    expect((await storage.call('/healthz')).headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('vary')).toBeNull()
  })

  test.each([
    ['POST', '/api/v0/add', true],
    ['POST', '/api/v0/add?wrap-with-directory=false&cid-version=1', true],
    ['POST', '/api/v0/dag/import', false],
    ['POST', '/api/auth/create_api_key', false],
    ['GET', '/api/user/files_uploaded?lastKey=null', false],
    ['PATCH', '/api/uploads/x', false],
    ['GET', '/nowhere', false],
  ])('%s %s allows credentials: %s, as published clients send them there alone', async (method, path, allows) => {
    const origin = 'https://app.example'
    const preflight = await storage.call(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    })
    const answer = await storage.call(path, { method, headers: { origin } })
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-origin')).toBe(allows ? origin : '*')
      expect(headers.get('access-control-allow-credentials')).toBe(allows ? 'true' : null)
      if (allows) expect(headers.get('vary')).toBe('Origin')
    }
    expect(preflight.status).toBe(204)
  })

  test('learn which headers a call allows, errors included', async () => {
    const { status, headers, body } = await storage.call('/api/v0/add', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,encryption',
      },
    })
    expect([status, body]).toEqual([204, ''])
    for (const name of [
      'Authorization',
      'Encryption',
      'Mime-Type',
      'X-Storage-Type',
      'X-Deal-Parameter',
      'Content-Type',
    ])
      expect(headers.get('access-control-allow-headers')).toContain(name)
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0)
    const refused = await storage.call('/api/v0/add', { method: 'POST', headers: { origin: 'https://app.example' } })
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example')
  })

  test('may send every header that a call has', async () => {
    const { headers } = await storage.call('/api/v0/add', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    const allowed = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ')
    const named = allCalls.flatMap(headerNames)
    expect(named).toEqual(expect.arrayContaining(['announce', 'last-event-id', 'upload-offset']))
    expect(named.filter((name) => !allowed.includes(name))).toEqual([])
  })

  test('never change anything by navigating', async () => {
    // fetch sets this header itself, so the request is written by hand.
    const answer = await sendRaw(
      'POST /api/auth/create_api_key HTTP/1.1\r\nHost: a\r\nSec-Fetch-Mode: navigate\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('are limited to the origins that the operator names', async () => {
    await using strict = await startTestStorage({ CAIRN_CORS_ORIGINS: 'https://app.example' })
    for (const path of ['/healthz', '/api/v0/add']) {
      const from = async (origin: string) => (await strict.call(path, { headers: { origin } })).headers
      const ours = await from('https://app.example')
      expect(ours.get('access-control-allow-origin')).toBe('https://app.example')
      expect(ours.get('vary')).toBe('Origin')
      const evil = await from('https://evil.example')
      expect(evil.get('access-control-allow-origin')).toBeNull()
      expect(evil.get('access-control-allow-credentials')).toBeNull()
    }
  })
})

test.each([
  ['application/x-www-form-urlencoded', 'as "application/x-www-form-urlencoded"'],
  ['text/plain;charset=UTF-8', 'as "text/plain;charset=UTF-8"'],
  [undefined, 'without a content type'],
])('answers a JSON body sent as %s with an error that names the header', async (type, what) => {
  const body = JSON.stringify({ token: 'a' })
  const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`
  const answer = await sendRaw(
    `POST /api/links/1/open HTTP/1.1\r\nHost: a\r\n${typed}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 415 /)
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    error: {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: `The body must be JSON, but is sent ${what}`,
      hint: 'Send the header Content-Type: application/json.',
    },
  })
})

test('reads a form where a published client sends one, by the same rules as JSON', async () => {
  const send = (fields: Record<string, string>) =>
    storage.call('/api/auth/create_api_key', { method: 'POST', body: new URLSearchParams(fields) })
  const account = privateKeyToAccount(generatePrivateKey())
  const message = await storage.getMessage(account.address)
  const signedMessage = await account.signMessage({ message })
  const { status, json } = await send({ publicKey: account.address, signedMessage })
  expect([status, typeof json]).toEqual([200, 'string'])
  expect((await send({ publicKey: account.address })).body).toContain('body.signedMessage is required')
  expect((await send({ publicKey: account.address, signedMessage: 'a\0' })).body).toContain('contains a NUL character')
  expect((await send({ signedMessage: 'a'.repeat(2 ** 20) })).status).toBe(413)
})

test('answers clients up to 0.3.0 of the published SDK, which page by number', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const signedMessage = await account.signMessage({ message: await storage.getMessage(account.address) })
  const created = await storage.call('/api/auth/get_api_key', jsonBody({ publicKey: account.address, signedMessage }))
  expect([created.status, typeof created.json]).toEqual([200, 'string'])
  const { headers } = bearer(String(created.json))
  const list = async (query: string) => {
    const { status, json } = await storage.call(`/api/user/files_uploaded?${query}`, { headers })
    return [status, status === 200 ? json : undefined]
  }
  expect(await list('pageNo=1')).toEqual([200, { fileList: [], totalFiles: 0 }])
  expect(await list('pageNo=2')).toEqual([200, { fileList: [], totalFiles: 0 }])
  expect(await list('pageNo=0')).toEqual([400, undefined])
  expect(await list('pageNo=2&search=a')).toEqual([400, undefined])
})

describe('the service about itself', () => {
  test('is ready, and lists its parts', async () => {
    const { status, json } = await storage.call('/readyz')
    expect(status).toBe(200)
    expect(json).toMatchObject({ status: 'ready', parts: { database: 'ok', objects: 'ok' } })
  })

  test('counts calls and errors for Prometheus, on a separate listener', async () => {
    await storage.call('/nowhere')
    const answer = await fetch(storage.metricsUrl ?? '', { headers: { origin: 'https://app.example' } })
    const body = await answer.text()
    expect(answer.headers.get('content-type')).toContain('text/plain')
    // Pages in browsers on the operator's machine cannot read it.
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(body).toMatch(/cairn_requests_total\{call="getHealth",status="200"\} \d/)
    expect(body).toMatch(/cairn_errors_total\{code="NOT_FOUND"\} \d/)
    expect((await storage.call('/metrics')).status).toBe(404)
    expect(await (await fetch(`${storage.gatewayUrl}/metrics`)).text()).not.toContain('cairn_requests_total')
  })

  test('serves no metrics if the operator turns them off', async () => {
    await using quiet = await startTestStorage({ CAIRN_METRICS_PORT: 'off' })
    expect(quiet.metricsUrl).toBeUndefined()
  })

  test('does not start if the metrics port is in use, and names its setting', async () => {
    const port = new URL(storage.metricsUrl ?? '').port
    await expect(startTestStorage({ CAIRN_METRICS_PORT: port })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(port),
      hint: expect.stringContaining('CAIRN_METRICS_PORT'),
    })
  })

  test('serves its profile without a wallet, and all calls as a document and a page', async () => {
    expect((await storage.call('/.well-known/cairn.json')).json).toEqual({
      name: 'local',
      api: storage.apiUrl,
      upload: storage.apiUrl,
      gateway: storage.gatewayUrl,
      pinning: { endpoint: storage.apiUrl },
      eventSigner: expect.stringMatching(/^did:key:z6Mk/),
    })
    expect((await storage.call('/openapi.json')).json).toMatchObject({ openapi: '3.1.1' })
    const page = await storage.call('/docs')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self'; style-src 'self';")
    expect(policy).not.toContain('unsafe')
    for (const [, path = ''] of page.body.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      expect((await storage.call(path)).status, path).toBe(200)
    }
    expect((await storage.call('/docs/package.json')).status).toBe(404)
  })

  test('logs no keys, signatures or queries', async () => {
    const key = await storage.createKey()
    await storage.call('/api/user/user_data_usage?secret=in-the-query', bearer(key))
    const log = storage.log.join('')
    expect(log).toContain('"call":"getDataUsage"')
    expect(log).not.toContain(key.slice(15))
    expect(log).not.toContain('in-the-query')
  })
})

describe('rates', () => {
  test('too many calls are RATE_LIMITED with the time to wait, and succeed after it', async () => {
    await using limited = await startTestStorage()
    const ask = () => limited.call(`/api/auth/get_message?publicKey=0x${'1'.repeat(40)}`)
    for (let i = 0; i < 60; i++) expect((await ask()).status).toBe(200)
    let refused = await ask()
    // A slow machine has refilled some tokens meanwhile.
    for (let i = 0; i < 120 && refused.status === 200; i++) refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-cairn-code')).toBe('RATE_LIMITED')
    const waitSeconds = Number(refused.headers.get('retry-after'))
    expect(waitSeconds).toBeGreaterThan(0)
    limited.pass(waitSeconds * 1000)
    expect((await ask()).status).toBe(200)
  })
})
