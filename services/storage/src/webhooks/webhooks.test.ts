// Webhooks through the API and the running worker, with receivers of every kind.
import type { CreatedWebhook, Webhook, WebhookDelivery } from '@cairn/protocol'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordEvents } from '../events/events.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { answer, startReceiver } from './receiver.fixture.ts'

const environment = { CAIRN_RATE_FACTOR: '0', CAIRN_WEBHOOK_PRIVATE_ADDRESSES: 'on' }

let storage: TestStorage
beforeAll(async () => {
  storage = await startTestStorage(environment)
})
afterAll(() => storage[Symbol.asyncDispose]())

/** Calls of one account. */
async function openAccount(at: TestStorage) {
  const account = privateKeyToAccount(generatePrivateKey())
  const key = await at.createKey(account)
  const call = (path: string, method = 'GET', body?: unknown) =>
    at.call(path, {
      ...(body === undefined ? { method } : jsonBody(body, method)),
      headers: { ...bearer(key).headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    })
  const create = async (body: unknown) => {
    const made = await call('/api/webhooks', 'POST', body)
    expect(made.status, made.body).toBe(200)
    return made.json as CreatedWebhook
  }
  const upload = async (name: string) => {
    const form = new FormData()
    form.append('file', new Blob([name]), name)
    const made = await at.call('/api/v0/add', { method: 'POST', ...bearer(key), body: form })
    expect(made.status, made.body).toBe(200)
  }
  const deliveries = async (id: string) =>
    ((await call(`/api/webhooks/${id}/deliveries`)).json as { deliveries: WebhookDelivery[] }).deliveries
  /** Polls until the newest delivery fits. */
  const untilDelivery = async (id: string, fits: (delivery: WebhookDelivery) => boolean) => {
    for (;;) {
      const [newest] = await deliveries(id)
      if (newest !== undefined && fits(newest)) return newest
    }
  }
  const show = async (id: string) =>
    ((await call('/api/webhooks')).json as { webhooks: Webhook[] }).webhooks.find((one) => one.id === id)
  return { account, key, call, create, upload, deliveries, untilDelivery, show }
}

test('a webhook receives the selected events, and its secret is shown once and stored sealed', async () => {
  await using receiver = await startReceiver(answer(200))
  const user = await openAccount(storage)
  const webhook = await user.create({ url: receiver.url, types: ['upload.stored'], description: 'site' })
  expect(webhook.secret).toMatch(/^whsec_[\w+/]{43}=$/)
  await user.upload('a.txt')
  const [message] = await receiver.until(1)
  const event = JSON.parse(message?.body ?? '')
  expect(event).toMatchObject({ type: 'upload.stored', data: { name: 'a.txt' }, id: message?.headers['webhook-id'] })
  const delivery = await user.untilDelivery(webhook.id, ({ state }) => state === 'delivered')
  expect(delivery).toMatchObject({ id: event.id, cursor: event.cursor, tries: 1, lastStatus: 200, nextAt: null })
  const listed = await user.call('/api/webhooks')
  expect(listed.json).toMatchObject({ webhooks: [{ id: webhook.id, description: 'site', isEnabled: true }] })
  expect(listed.body).not.toContain('whsec_')
  const rows = await storage.context.db.read.selectFrom('webhook').selectAll().execute()
  const secret = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')
  for (const { seal } of rows) expect(Buffer.from(seal).includes(secret)).toBe(false)
  expect(storage.log.join('')).not.toContain(webhook.secret)
  expect((await user.call('/api/events?types=webhook.created')).json).toMatchObject({
    events: [{ data: { webhookId: webhook.id, host: new URL(receiver.url).host } }],
  })

  const tested = await user.call(`/api/webhooks/${webhook.id}/test`, 'POST')
  expect(tested.json).toEqual({ isDelivered: true, status: 200, error: null })
  expect(JSON.parse((await receiver.until(2))[1]?.body ?? '')).toMatchObject({ type: 'webhook.test' })

  await user.call(`/api/webhooks/${webhook.id}`, 'PATCH', { isEnabled: false })
  await user.upload('while disabled.txt')
  await user.call(`/api/webhooks/${webhook.id}`, 'PATCH', { isEnabled: true })
  expect(JSON.parse((await receiver.until(3))[2]?.body ?? '')).toMatchObject({ data: { name: 'while disabled.txt' } })

  const replayed = await user.call(`/api/webhooks/${webhook.id}/replay`, 'POST', { after: '0' })
  expect(replayed.json).toMatchObject({ queued: 2 })
  expect((await receiver.until(4))[3]?.headers['webhook-id']).toBe(event.id)
  expect((await user.call(`/api/webhooks/${webhook.id}`, 'DELETE')).status).toBe(200)
  expect((await user.call(`/api/webhooks/${webhook.id}`, 'DELETE')).headers.get('x-cairn-code')).toBe(
    'WEBHOOK_NOT_FOUND',
  )
})

test('retries receivers that fail, redirect, never end or never answer, with the same id', async () => {
  await using elsewhere = await startReceiver(answer(200))
  await using failing = await startReceiver((response, count) => answer(count === 1 ? 500 : 204)(response))
  await using redirecting = await startReceiver((response) => {
    response.writeHead(307, { location: elsewhere.url }).end()
  })
  let sentBytes = 0
  await using endless = await startReceiver((response) => {
    response.writeHead(200)
    const send = (): void => {
      while (!response.destroyed) {
        sentBytes += 65_536
        if (response.write(Buffer.alloc(65_536))) continue
        response.once('drain', send)
        return
      }
    }
    send()
  })
  await using silent = await startReceiver(() => undefined)
  const user = await openAccount(storage)
  const types = ['upload.stored']
  const made = []
  for (const { url } of [failing, redirecting, endless, silent]) made.push(await user.create({ url, types }))
  const [fails, redirects, ends, hangs] = made.map(({ id }) => id) as [string, string, string, string]
  await user.upload('a.txt')

  expect(await user.untilDelivery(fails, ({ tries }) => tries === 1)).toMatchObject({
    state: 'pending',
    lastStatus: 500,
    lastError: 'The receiver responded with status 500',
  })
  expect((await user.show(fails))?.failingSince).not.toBeNull()
  expect(await user.untilDelivery(redirects, ({ tries }) => tries === 1)).toMatchObject({
    state: 'pending',
    lastError: 'The receiver responded with status 307, redirects are not followed',
  })
  expect(elsewhere.received).toEqual([])
  expect(await user.untilDelivery(ends, ({ tries }) => tries === 1)).toMatchObject({ state: 'delivered' })
  expect(sentBytes).toBeLessThan(64 * 1024 * 1024)
  expect(await user.untilDelivery(hangs, ({ tries }) => tries === 1)).toMatchObject({
    state: 'pending',
    lastStatus: null,
    lastError: 'The receiver did not respond within 10 seconds',
  })

  storage.pass(10_000)
  expect(await user.untilDelivery(fails, ({ state }) => state === 'delivered')).toMatchObject({ tries: 2 })
  expect((await user.show(fails))?.failingSince).toBeNull()
  const [first, second] = failing.received
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(Number(first?.headers['webhook-timestamp']))
  const metrics = await storage.context.metrics.registry.metrics()
  expect(metrics).toMatch(/cairn_webhook_deliveries_total\{result="retried"\} [1-9]/)
  expect(metrics).toMatch(/cairn_webhook_deliveries_total\{result="delivered"\} [1-9]/)
})

test('receivers that do not respond delay no events of others', { timeout: 60_000 }, async () => {
  await using silent = await startReceiver(() => undefined)
  await using quick = await startReceiver(answer(204))
  const [slow, other] = [await openAccount(storage), await openAccount(storage)]
  const type = 'api_key.revoked'
  for (let count = 0; count < 10; count++) await slow.create({ url: silent.url, types: [type] })
  const { id } = await other.create({ url: quick.url, types: ['upload.stored'] })
  const { db, clock } = storage.context
  // Each webhook has events for minutes.
  const events = Array.from({ length: 40 }, (_, at) => ({ type, data: { keyId: String(at), name: '' } }) as const)
  await db.write((trx) => recordEvents(trx, slow.account.address.toLowerCase(), clock.now(), ...events))
  await silent.until(4)
  await other.upload('mine.txt')
  expect(await other.untilDelivery(id, ({ state }) => state === 'delivered')).toMatchObject({ tries: 1 })
})

test('a receiver that is gone is disabled at once, with the reason and an event', async () => {
  await using receiver = await startReceiver(answer(410))
  const user = await openAccount(storage)
  const { id } = await user.create({ url: receiver.url, types: ['upload.stored'] })
  await user.upload('a.txt')
  await user.untilDelivery(id, ({ state }) => state === 'failed')
  const disabledReason = 'The receiver responded with status 410 (Gone)'
  expect(await user.show(id)).toMatchObject({ isEnabled: false, disabledReason })
  expect((await user.call('/api/events?types=webhook.disabled')).json).toMatchObject({
    events: [{ data: { webhookId: id, reason: disabledReason, reasonCode: 'RECEIVER_GONE', status: 410 } }],
  })
  expect(receiver.received).toHaveLength(1)
})

test('only the owner, with the scopes account and files:read, manages a limited number of webhooks', async () => {
  await using small = await startTestStorage({ ...environment, CAIRN_MAX_WEBHOOKS_PER_ACCOUNT: '1' })
  const user = await openAccount(small)
  const url = 'http://127.0.0.1:1/'
  const { id } = await user.create({ url })
  const code = async (key: string, path: string, method: string, body?: unknown) => {
    const init = body === undefined ? { method } : jsonBody(body, method)
    const headers = { ...bearer(key).headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    return (await small.call(path, { ...init, headers })).headers.get('x-cairn-code')
  }
  expect(await code(user.key, '/api/webhooks', 'POST', { url })).toBe('WEBHOOK_LIMIT')
  const reader = await small.createKey(user.account, { scopes: ['files:read', 'files:write'] })
  const manager = await small.createKey(user.account, { scopes: ['account'] })
  const stranger = await small.createKey()
  for (const [path, method, body] of [
    ['/api/webhooks', 'POST', { url }],
    ['/api/webhooks', 'GET', undefined],
    [`/api/webhooks/${id}`, 'PATCH', { url }],
    [`/api/webhooks/${id}`, 'DELETE', undefined],
    [`/api/webhooks/${id}/test`, 'POST', undefined],
    [`/api/webhooks/${id}/replay`, 'POST', { after: '0' }],
    [`/api/webhooks/${id}/deliveries`, 'GET', undefined],
  ] as const) {
    expect(await code(reader, path, method, body), `${method} ${path}`).toBe('FORBIDDEN')
    if (path === '/api/webhooks') continue
    expect(await code(stranger, path, method, body), `${method} ${path}`).toBe('WEBHOOK_NOT_FOUND')
  }
  expect(await code(manager, '/api/webhooks', 'POST', { url })).toBe('FORBIDDEN')
  expect(await code(manager, '/api/webhooks', 'GET')).toBeNull()
  // A reached limit leaves no event behind.
  expect((await user.call('/api/events?types=webhook.created')).json).toMatchObject({
    events: [{ data: { webhookId: id } }],
  })
})

test('a public network delivers neither to http URLs nor to private addresses', async () => {
  await using strict = await startTestStorage({ CAIRN_RATE_FACTOR: '0' })
  const user = await openAccount(strict)
  const codeFor = async (url: string) => (await user.call('/api/webhooks', 'POST', { url })).headers.get('x-cairn-code')
  expect(await codeFor('http://example.com/')).toBe('INVALID_WEBHOOK_URL')
  expect(await codeFor('ftp://example.com/')).toBe('INVALID_REQUEST')
  for (const host of ['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '2130706433']) {
    expect(await codeFor(`https://${host}/`), host).toBe('ADDRESS_NOT_ALLOWED')
  }
  // A name is resolved at each delivery.
  const { id } = await user.create({ url: 'https://localhost/', types: ['upload.stored'] })
  const tested = await user.call(`/api/webhooks/${id}/test`, 'POST')
  const error = 'localhost is not on the public internet'
  expect(tested.json).toEqual({ isDelivered: false, status: null, error })
  await user.upload('a.txt')
  expect(await user.untilDelivery(id, ({ tries }) => tries === 1)).toMatchObject({ state: 'pending', lastError: error })
})
