import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKey, getDataUsage, getHealth, getProofs } from '@cairn/protocol'
import { afterEach, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import { downloadBytes } from './download/open-file.ts'
import { call, openResponse } from './request.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** A server with the responses of the test, and a client for it. */
async function serve(answer: RequestListener): Promise<Client & { url: string }> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...createClient({ network: { name: 't', api: url, upload: url, gateway: url }, apiKey: 'key' }),
    url,
  }
}

const usage = JSON.stringify({ dataLimit: 10, dataUsed: 1, unknownToThisVersion: true })

test('parses a successful answer and ignores fields of newer services', async () => {
  const client = await serve((_request, response) => response.end(usage))
  expect(await call(client, getDataUsage, {})).toMatchObject({ dataLimit: 10, dataUsed: 1, dataLimitPermanent: 0 })
})

test('sends the key as a bearer token, only if the call needs one', async () => {
  const seen: (string | undefined)[] = []
  const client = await serve((request, response) => {
    seen.push(request.headers.authorization)
    response.end(request.url === '/healthz' ? '{"status":"ok"}' : usage)
  })
  await call(client, getDataUsage, {})
  await call(client, getHealth, {})
  expect(seen).toEqual(['Bearer key', undefined])
})

test('sends nothing without a required key', async () => {
  const client = createClient({
    network: { name: 't', api: 'http://127.0.0.1:1', upload: 'http://127.0.0.1:1', gateway: 'http://127.0.0.1:1' },
  })
  await expect(call(client, getDataUsage, {})).rejects.toMatchObject({ code: 'NO_API_KEY' })
})

test('a server that does not answer is a time-out', async () => {
  const client = await serve(() => undefined)
  await expect(call({ ...client, callTimeoutMs: 500 }, getDataUsage, {})).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: 'Request timed out',
  })
})

test('a closed port is a network error, after three attempts', async () => {
  const client = await serve((_request, response) => response.end())
  const [server] = servers.splice(0)
  await new Promise((done) => server?.close(done))
  let tries = 0
  const counting = {
    ...client,
    fetch: (...args: Parameters<typeof fetch>) => {
      tries++
      return fetch(...args)
    },
  }
  await expect(call(counting, getDataUsage, {})).rejects.toMatchObject({
    code: 'NETWORK_ERROR',
    message: 'Network error',
  })
  expect(tries).toBe(3)
})

test('an abort has its reason as the cause, also during a download', async () => {
  const arrived = Promise.withResolvers<void>()
  const client = await serve(() => arrived.resolve())
  const reason = new Error('the page was closed')
  const stop = new AbortController()
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const read = downloadBytes(client, cid, { signal: stop.signal })
  await arrived.promise
  stop.abort(reason)
  await expect(read).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
})

test('an aborted call reports the abort', async () => {
  const client = await serve(() => undefined)
  const stop = new AbortController()
  const calling = call(client, getDataUsage, {}, { signal: stop.signal, timeoutMs: 60_000 })
  stop.abort()
  await expect(calling).rejects.toMatchObject({ code: 'ABORTED' })
})

test('retries a rejection that asks for it, but not a call that changes state', async () => {
  let requestCount = 0
  const client = await serve((_request, response) => {
    requestCount++
    if (requestCount < 3)
      response.writeHead(429, { 'retry-after': '0' }).end('{"error":{"code":"RATE_LIMITED","message":"slow down"}}')
    else response.end(usage)
  })
  expect(await call(client, getDataUsage, {})).toMatchObject({ dataUsed: 1 })
  expect(requestCount).toBe(3)
  requestCount = 0
  const body = { publicKey: '0x00000000000000000000000000000000000000aa', signedMessage: '0x' }
  await expect(call(client, createApiKey, { body })).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: 'slow down',
  })
  expect(requestCount).toBe(1)
})

test.each([500, 502, 503, 504])('retries a call that is safe to repeat after a plain %i', async (status) => {
  let requestCount = 0
  const client = await serve((_request, response) => {
    requestCount++
    if (requestCount < 3) response.writeHead(status).end('<html>')
    else response.end(usage)
  })
  expect(await call(client, getDataUsage, {})).toMatchObject({ dataUsed: 1 })
  expect(requestCount).toBe(3)
  requestCount = 0
  const body = { publicKey: '0x00000000000000000000000000000000000000aa', signedMessage: '0x' }
  await expect(call(client, createApiKey, { body })).rejects.toMatchObject({ status, retry: true })
  expect(requestCount).toBe(1)
})

test('does not repeat a call whose answer takes longer than the pauses', async () => {
  let requestCount = 0
  const client = await serve((_request, response) => {
    requestCount++
    response.writeHead(400).end('{"error":{"code":"PROOF_NOT_FOUND","message":"not yet"}}')
  })
  await expect(call(client, getProofs, { params: { cid: 'bafkqaaa' }, query: {} })).rejects.toMatchObject({
    code: 'PROOF_NOT_FOUND',
    retry: true,
  })
  expect(requestCount).toBe(1)
})

test('does not follow a redirect, so that the key stays here', async () => {
  let elsewhere = 0
  const other = await serve((_request, response) => {
    elsewhere++
    response.end(usage)
  })
  const client = await serve((_request, response) => response.writeHead(302, { location: other.url }).end())
  await expect(call(client, getDataUsage, {})).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' })
  expect(elsewhere).toBe(0)
})

test.each(['', '<html>', '[]', '{"dataLimit":"many"}'])('rejects the answer %j', async (text) => {
  const client = await serve((_request, response) => response.end(text))
  await expect(call(client, getDataUsage, {})).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' })
})

test('an error keeps code, hint, request id and status of the service', async () => {
  const client = await serve((_request, response) =>
    response
      .writeHead(402, { 'x-request-id': 'r1' })
      .end('{"error":{"code":"QUOTA_EXCEEDED","message":"too much","hint":"buy","details":{"missingBytes":5}}}'),
  )
  await expect(call(client, getDataUsage, {})).rejects.toMatchObject({
    code: 'QUOTA_EXCEEDED',
    message: 'too much',
    hint: 'buy',
    requestId: 'r1',
    status: 402,
    details: { missingBytes: 5 },
  })
})

test('rejects a body of an unknown kind before it sends anything', async () => {
  const client = createClient({ network: { name: 't', api: 'http://127.0.0.1:1', upload: '', gateway: '' } })
  const send = {
    url: 'http://127.0.0.1:1/',
    method: 'POST',
    dialect: 'api',
    timeoutMs: 100,
    body: 7 as unknown as string,
  } as const
  await expect(openResponse(client, send)).rejects.toMatchObject({
    code: 'UNSUPPORTED_BODY',
    message: 'Unsupported body type',
  })
})

test('aborts an endless answer at the limit', async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const client = await serve((_request, response) => {
    const letter = Buffer.alloc(1 << 20, ' ')
    const pour = () => {
      while (!response.destroyed && response.write(letter));
    }
    response.on('drain', pour).on('close', resolve)
    pour()
  })
  await expect(call(client, getDataUsage, {})).rejects.toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
    message: 'The response of the server is too long',
  })
  await released
})
