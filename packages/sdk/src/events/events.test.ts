import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook as Signer } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { listApiKeys, revokeApiKey } from '../account/api-keys.ts'
import { type Client, createClient } from '../client.ts'
import { uploadText } from '../upload/upload-file.ts'
import { startCutProxy } from './cut-proxy.fixture.ts'
import { exportEvents, verifyEventLog } from './event-log.ts'
import { listEvents } from './list-events.ts'
import { verifyWebhook } from './verify-webhook.ts'
import { watchEvents } from './watch-events.ts'
import {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

async function createAccount(): Promise<Client & { apiKey: string }> {
  const { apiKey } = await createTestKey(network)
  return { ...createClient({ network: network.profile, apiKey }), apiKey }
}

test('exports the whole log, signed by the service of the network, and finds a changed line', async () => {
  const client = await createAccount()
  for (const name of ['a', 'b', 'c']) await uploadText(client, name, { name })
  const log = Buffer.concat(await Array.fromAsync(exportEvents(client)))
  const { eventSigner: signer } = network.profile
  const read = (text: string) => verifyEventLog(feed([Buffer.from(text)]), { signer })
  const { cursor: lastCursor } = await listEvents(client, { after: 'latest' })
  const count = Number(lastCursor)
  const about = { network: 'local', signer, firstCursor: '1', lastCursor, count }
  // Split anywhere.
  expect(await verifyEventLog(feed([...log].map((byte) => Uint8Array.of(byte))), { signer })).toMatchObject(about)
  expect(
    log
      .toString()
      .split('\n')
      .filter((line) => line.includes('"upload.stored"')),
  ).toHaveLength(3)
  await expect(read(log.toString().replace('"name":"b"', '"name":"x"'))).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
  await expect(read(log.toString().split('\n').slice(0, -2).join('\n'))).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
  await expect(verifyEventLog(feed([log]), { signer: 'did:key:z6Mk' })).rejects.toMatchObject({
    code: 'INVALID_SIGNATURE',
  })
  const { apiKey } = await createTestKey(network, undefined, { scopes: ['files:read'] })
  const limited = exportEvents(createClient({ network: network.profile, apiKey }))
  await expect(limited.next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

async function* feed(pieces: readonly Uint8Array[]) {
  yield* pieces
}

test('lists events page by page', async () => {
  const client = await createAccount()
  for (const name of ['a', 'b', 'c']) await uploadText(client, name, { name })
  const names: unknown[] = []
  let after: string | undefined
  for (;;) {
    const filter = { types: ['upload.stored' as const], limit: 2, ...(after === undefined ? {} : { after }) }
    const page = await listEvents(client, filter)
    names.push(...page.events.map(({ data }) => data['name']))
    after = page.cursor
    if (!page.hasMore) break
  }
  expect(names).toEqual(['a', 'b', 'c'])
  await expect(listEvents(client, { after: '999' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
})

test('watches events, and continues after a lost connection without a gap or a repetition', async () => {
  const client = await createAccount()
  await using proxy = await startCutProxy(network.profile.api)
  const watching = createClient({ network: { ...network.profile, api: proxy.url }, apiKey: client.apiKey })
  const stop = new AbortController()
  const errors: string[] = []
  const events = watchEvents(watching, {
    types: ['upload.stored'],
    after: '0',
    signal: stop.signal,
    onReconnect: ({ code }) => errors.push(code),
  })
  const nextName = async () => (await events.next()).value?.data['name']
  await uploadText(client, 'first', { name: 'first' })
  expect(await nextName()).toBe('first')
  proxy.cut()
  await uploadText(client, 'while cut', { name: 'while cut' })
  await uploadText(client, 'after', { name: 'after' })
  expect(await nextName()).toBe('while cut')
  expect(await nextName()).toBe('after')
  expect(errors).toEqual(['NETWORK_ERROR'])
  expect(proxy.connections).toBe(2)
  const waiting = events.next()
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await events.next()).toEqual({ done: true, value: undefined })
})

test('a connection that is lost before the first event loses none', async () => {
  const client = await createAccount()
  await using proxy = await startCutProxy(network.profile.api)
  const watching = createClient({ network: { ...network.profile, api: proxy.url }, apiKey: client.apiKey })
  const events = watchEvents(watching, {
    types: ['upload.stored'],
    onReconnect: () => uploadText(client, 'text', { name: 'while cut' }),
  })
  const first = events.next()
  while (!proxy.passed.includes('event: cursor')) await new Promise((resolve) => setImmediate(resolve))
  proxy.cut()
  expect((await first).value?.data['name']).toBe('while cut')
  await events.return()
})

test('a stream ends with an error when its key is revoked, and does not start with an invalid cursor', async () => {
  const client = await createAccount()
  const events = watchEvents(client, { after: '0' })
  expect((await events.next()).value?.type).toBe('api_key.created')
  const [key] = await listApiKeys(client)
  await revokeApiKey(client, key?.id ?? '')
  await expect(
    (async () => {
      for await (const _ of events);
    })(),
  ).rejects.toMatchObject({ code: 'API_KEY_REVOKED' })
  const other = await createAccount()
  await expect(watchEvents(other, { after: '999' }).next()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
})

test('a stream ends with an error when its service never ends an event', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: upload.stored\n: not the end\n\ndata: ')
    const more = () => {
      // The client has to stop reading.
      for (let sent = 0; response.write('x'.repeat(65_536)) && sent < 100; sent++);
    }
    response.on('drain', more)
    more()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = createClient({ network: { ...network.profile, api }, apiKey: 'cairn_key' })
    await expect(watchEvents(client, { after: '0' }).next()).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message: 'The server sent an event that is too long',
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('manages a webhook whose receiver verifies deliveries', async () => {
  const client = await createAccount()
  const bodies: { body: string; headers: Record<string, string | string[] | undefined> }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    bodies.push({ body, headers: request.headers })
    response.end()
    server.emit('delivered')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { id, secret } = await createWebhook(client, { url, types: ['upload.stored'] })
    const delivered = once(server, 'delivered')
    await uploadText(client, 'text', { name: 'a.txt' })
    await delivered
    const [first] = bodies
    const event = await verifyWebhook(first?.body ?? '', first?.headers ?? {}, secret)
    expect(event).toMatchObject({ type: 'upload.stored', data: { name: 'a.txt' } })
    expect(await testWebhook(client, id)).toEqual({ isDelivered: true, status: 200, error: null })
    const replayed = once(server, 'delivered')
    expect(await replayWebhook(client, id, { after: '0' })).toMatchObject({ queued: 1 })
    await replayed
    expect(bodies[2]?.headers['webhook-id']).toBe(event.id)
    expect(await listWebhookDeliveries(client, id, { limit: 1 })).toMatchObject([{ id: event.id }])
    expect(await updateWebhook(client, id, { isEnabled: false, description: 'off' })).toMatchObject({
      isEnabled: false,
      description: 'off',
    })
    expect(await listWebhooks(client)).toHaveLength(1)
    await removeWebhook(client, id)
    await expect(removeWebhook(client, id)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('waits for the result of a test of a webhook longer than for other calls', async () => {
  const client = { ...(await createAccount()), callTimeoutMs: 400 }
  const server = createServer((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.writeHead(500).end(), 1000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const options = { timeoutMs: 10_000 }
    const { id } = await createWebhook(client, { url: `http://127.0.0.1:${port}/` }, options)
    expect(await testWebhook(client, id)).toMatchObject({ isDelivered: false, status: 500 })
    await expect(testWebhook(client, id, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('accepts what the published library signs, and refuses changes, other secrets and old deliveries', async () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
  const event = {
    id: '1',
    cursor: '7',
    type: 'upload.stored',
    timestamp: new Date(0).toISOString(),
    data: { name: 'ä' },
  }
  const body = JSON.stringify(event)
  const now = new Date('2026-01-02T03:04:05Z')
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(now.getTime() / 1000),
    'webhook-signature': `v1a,abc ${new Signer(secret).sign('msg_1', now, body)}`,
  }
  const verify = (payload: string | Uint8Array, more: Record<string, string> = {}, key = secret, at = now.getTime()) =>
    verifyWebhook(payload, new Headers({ ...headers, ...more }), key, at)
  expect(await verify(body)).toEqual(event)
  expect(await verify(new TextEncoder().encode(body))).toEqual(event)
  const refused = { code: 'INVALID_SIGNATURE', hint: expect.stringContaining('secret of this webhook') }
  await expect(verify(`${body} `)).rejects.toMatchObject(refused)
  await expect(verify(body, { 'webhook-id': 'msg_2' })).rejects.toMatchObject(refused)
  await expect(verify(body, { 'webhook-signature': 'v1,' })).rejects.toMatchObject(refused)
  await expect(verify(body, {}, `whsec_${Buffer.alloc(32, 4).toString('base64')}`)).rejects.toMatchObject(refused)
  for (const key of ['whsec_%', 'whsec_', '']) await expect(verify(body, {}, key)).rejects.toMatchObject(refused)
  for (const offsetMs of [-301_000, 301_000]) {
    await expect(verify(body, {}, secret, now.getTime() + offsetMs)).rejects.toMatchObject(refused)
  }
  await expect(verifyWebhook(body, {}, secret)).rejects.toMatchObject(refused)
})

test.each(['', 'ping', '{}', '{"id":"1","type":"upload.stored"}'])(
  'rejects a signed delivery that is not an event with a code: %j',
  async (body) => {
    const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
    const now = new Date('2026-01-02T03:04:05Z')
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now.getTime() / 1000),
      'webhook-signature': new Signer(secret).sign('msg_1', now, body),
    }
    await expect(verifyWebhook(body, headers, secret, now.getTime())).rejects.toMatchObject({
      name: 'CairnError',
      code: 'UNEXPECTED_RESPONSE',
    })
  },
)
