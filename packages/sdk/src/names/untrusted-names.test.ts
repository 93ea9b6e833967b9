// Names with a lying service: only what a signature confirms counts.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRecord, exportNameKey, type NameKey, nameKeyFromSeed } from '@cairn/names'
import { expect, test } from 'vitest'
import { type Client, createClient } from '../client.ts'
import { listNameHistory } from './name-history.ts'
import { createNameKey } from './name-keys.ts'
import { exportName } from './names.ts'
import { publishName } from './publish-name.ts'
import { publishSigned } from './publish-signed.ts'
import { resolveName } from './resolve-name.ts'

const value = '/ipfs/bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am'
const other = '/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const hour = 3_600_000

type Answer = { status?: number; body: unknown }
type Asked = { method: string; url: string; headers: string; body: Buffer }

/** A service with arbitrary responses; `asked` records its requests. */
async function serviceOf(
  answer: (requests: Asked, count: number) => Answer | Promise<Answer>,
): Promise<{ client: Client; requests: Asked[] } & AsyncDisposable> {
  const requests: Asked[] = []
  const handle = async (request: IncomingMessage): Promise<Answer> => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { method = '', url = '', rawHeaders } = request
    const one = { method, url, headers: rawHeaders.join('\n'), body: Buffer.concat(pieces) }
    requests.push(one)
    return answer(one, requests.length)
  }
  const server = createServer((request, response) => {
    handle(request).then(
      ({ status = 200, body }) => response.writeHead(status).end(JSON.stringify(body)),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    client: createClient({ network: { name: 'lying', api: base, upload: base, gateway: base }, apiKey: 'a-key' }),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

type RecordDraft = { value?: string; sequence?: bigint; lifetimeMs?: number; now?: number }
async function signed(key: NameKey, draft: RecordDraft = {}, claimed: Record<string, unknown> = {}): Promise<Answer> {
  const bytes = await createRecord(key, { value, sequence: 7n, lifetimeMs: hour, ttlMs: 0, ...draft })
  const record = Buffer.from(bytes).toString('base64')
  return {
    body: { name: key.name, value, sequence: '7', validUntil: Date.now() + hour, ttlMs: 0, record, ...claimed },
  }
}
const outdated = (details: Record<string, unknown>): Answer => ({
  status: 409,
  body: { error: { code: 'IPNS_RECORD_OUTDATED', message: 'A newer record of this name already exists', details } },
})
const missing: Answer = {
  status: 404,
  body: { error: { code: 'NAME_NOT_FOUND', message: 'Name not found' } },
}

test('reads signed fields only, and ignores those beside the record', async () => {
  const key = await createNameKey()
  const claimed = { value: other, sequence: '99', validUntil: 1, ttlMs: 5, name: (await createNameKey()).name }
  await using service = await serviceOf(() => signed(key, {}, claimed))
  expect(await resolveName(service.client, key.name)).toMatchObject({ name: key.name, value, sequence: 7n, ttlMs: 0 })
})

test.each([
  ['the public key of another name', async () => signed(await createNameKey()), 'INVALID_IPNS_RECORD'],
  ['that has ended', (key: NameKey) => signed(key, { now: Date.now() - 2 * hour }), 'IPNS_RECORD_EXPIRED'],
  ['of bytes that are none', (key: NameKey) => signed(key, {}, { record: 'AAAA' }), 'INVALID_IPNS_RECORD'],
  ['that is no base64', (key: NameKey) => signed(key, {}, { record: '?' }), 'UNEXPECTED_RESPONSE'],
  ['that is too large', (key: NameKey) => signed(key, {}, { record: 'A'.repeat(20_000) }), 'UNEXPECTED_RESPONSE'],
])('rejects a record %s', async (_, answer, code) => {
  const key = await createNameKey()
  await using service = await serviceOf(() => answer(key))
  await expect(resolveName(service.client, key.name)).rejects.toMatchObject({ code })
})

test('rejects a record that leads to a forged one', async () => {
  const [first, second] = [await createNameKey(), await createNameKey()]
  await using service = await serviceOf(async ({ url }) =>
    url.includes(first.name) ? signed(first, { value: `/ipns/${second.name}` }) : signed(await createNameKey()),
  )
  await expect(resolveName(service.client, first.name)).rejects.toMatchObject({ code: 'INVALID_IPNS_RECORD' })
})

test('rejects a record older than one it has seen, also in a copy of the client', async () => {
  const key = await createNameKey()
  const answers = [
    await signed(key, { sequence: 8n }),
    await signed(key, { sequence: 7n, value: other }),
    await signed(key, { sequence: 8n, value: other, lifetimeMs: hour / 2 }),
  ]
  await using service = await serviceOf((_, count) => answers[count - 1] ?? missing)
  expect(await resolveName(service.client, key.name)).toMatchObject({ value, sequence: 8n })
  for (let turn = 0; turn < 2; turn++) {
    await expect(resolveName({ ...service.client, apiKey: undefined }, key.name)).rejects.toMatchObject({
      code: 'IPNS_RECORD_OUTDATED',
      details: { sequence: '8' },
    })
  }
})

test('accepts the same record, signed again with another end', async () => {
  const key = await createNameKey()
  const answers = [
    await signed(key),
    await signed(key, { lifetimeMs: hour / 2 }),
    await signed(key, { lifetimeMs: 2 * hour }),
  ]
  await using service = await serviceOf((_, count) => answers[count - 1] ?? missing)
  for (const _answer of answers) expect(await resolveName(service.client, key.name)).toMatchObject({ value })
})

test('detects a service that publishes another value, or for another name', async () => {
  const key = await createNameKey()
  await using changed = await serviceOf(() => signed(key, { value: other }))
  await expect(publishName(changed.client, key.name, value)).rejects.toMatchObject({ code: 'INVALID_IPNS_RECORD' })
  await using foreign = await serviceOf(async () => signed(await createNameKey()))
  await expect(publishName(foreign.client, key.name, value)).rejects.toMatchObject({ code: 'INVALID_IPNS_RECORD' })
})

test('rejects a history at its forged record', async () => {
  const [key, liar] = [await createNameKey(), await createNameKey()]
  const row = async (from: NameKey, sequence: bigint) => ({
    ...Object((await signed(from, { sequence, now: 0 })).body),
    sequence: sequence.toString(),
    publishedAt: 1,
  })
  const records = [await row(key, 9n), await row(liar, 8n)]
  await using service = await serviceOf(() => ({ body: { records } }))
  const seen: bigint[] = []
  await expect(async () => {
    for await (const { sequence } of listNameHistory(service.client, key.name)) seen.push(sequence)
  }).rejects.toMatchObject({ code: 'INVALID_IPNS_RECORD' })
  // Long-expired records are read as well.
  expect(seen).toEqual([9n])
})

test('stops at a circular history', async () => {
  const key = await createNameKey()
  const { body } = await signed(key)
  const records = Array.from({ length: 100 }, () => ({ ...Object(body), publishedAt: 1 }))
  await using service = await serviceOf(() => ({ body: { records } }))
  await expect(Array.fromAsync(listNameHistory(service.client, key.name))).rejects.toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
  })
})

test('rejects the key of another name', async () => {
  const [key, wrong] = [await createNameKey(), await createNameKey()]
  await using service = await serviceOf(() => ({
    body: { name: key.name, format: 'pem', key: exportNameKey(wrong, 'pem') },
  }))
  await expect(exportName(service.client, key.name)).rejects.toMatchObject({ code: 'INVALID_NAME_KEY' })
})

test.each([
  ['with an account', (client: Client) => client],
  ['without', (client: Client) => ({ ...client, apiKey: undefined })],
])('the key never leaves the machine when it signs, %s', async (_, as) => {
  const seed = Uint8Array.from({ length: 32 }, (_none, index) => 200 + index)
  const key = await nameKeyFromSeed(seed)
  await using service = await serviceOf(({ method }) => (method === 'GET' ? missing : outdated({})))
  await expect(publishSigned(as(service.client), key, value)).rejects.toMatchObject({ code: 'IPNS_RECORD_OUTDATED' })
  expect(service.requests.length).toBeGreaterThan(5)
  const secret = Buffer.from(seed)
  for (const { url, headers, body } of service.requests) {
    const bodies = [body, Buffer.from(/"record":"([^"]*)"/.exec(body.toString())?.[1] ?? '', 'base64')]
    for (const one of bodies) expect(one.includes(secret)).toBe(false)
    for (const form of ['hex', 'base64', 'base64url'] as const) {
      // Without the last letters, which depend on the bytes that follow.
      const text = secret.toString(form).slice(0, 40)
      for (const place of [url, headers, body.toString()]) expect(place).not.toContain(text)
    }
  }
})

test('a service cannot make a signer use up the available sequences', async () => {
  const key = await createNameKey()
  await using service = await serviceOf(({ method }) =>
    method === 'GET' ? missing : outdated({ sequence: (2n ** 64n - 2n).toString() }),
  )
  await expect(publishSigned(service.client, key, value)).rejects.toMatchObject({ code: 'IPNS_RECORD_OUTDATED' })
  const sent = service.requests.filter(({ method }) => method === 'PUT')
  expect(sent).toHaveLength(1)
})

test('publishes above the last record of a name after its expiry', async () => {
  const key = await createNameKey()
  const last = BigInt(Math.floor(Date.now() / 1000)) + 5_000_000n
  const expired: Answer = { status: 502, body: { error: { code: 'NAME_EXPIRED', message: 'It has expired' } } }
  const row = { sequence: last.toString(), publishedAt: 1, validUntil: 1 }
  await using service = await serviceOf(async ({ method, url, body }) => {
    if (url.endsWith('/records?limit=100')) {
      const { body: past } = await signed(key, { sequence: last, now: 0 })
      return { body: { records: [{ ...Object(past), ...row }] } }
    }
    if (method === 'GET') return expired
    const state = { id: 'x', label: null, name: key.name, value, cid: null, sequence: '1', validUntil: 1, ttlMs: 0 }
    expect(JSON.parse(body.toString())).toMatchObject({ record: expect.any(String) })
    return { body: { ...state, keyHeld: 'owner', createdAt: 1, updatedAt: 1 } }
  })
  expect((await publishSigned(service.client, key, value)).sequence).toBe(last + 1n)
})

test('the next sequence is above those that others published meanwhile', async () => {
  const key = await createNameKey()
  let taken = BigInt(Math.floor(Date.now() / 1000)) + 500n
  await using service = await serviceOf(async ({ method, url }, count) => {
    if (method === 'GET')
      return url.includes('/records') ? missing : count < 2 ? missing : signed(key, { sequence: taken })
    taken += 1n
    if (count < 6) return outdated({})
    const { body } = await signed(key)
    const row = { id: 'x', label: null, cid: null, keyHeld: 'owner', createdAt: 1, updatedAt: 1 }
    return { body: { ...Object(body), ...row } }
  })
  const { sequence } = await publishSigned(service.client, key, value)
  expect(sequence).toBe(taken)
})
