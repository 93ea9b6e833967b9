import { randomBytes, randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { KIB, MIB } from '@cairn/protocol'
import { encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { hashSha256 } from '../packs/packs.ts'
import { bearer, callWithKey, errorCodeOf, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

describeOnDatabases('repeated uploads, on %s:', (newDatabase) => {
  let storage: TestStorage
  let apiKey = ''
  beforeAll(async () => {
    storage = await startTestStorage(await newDatabase())
    apiKey = await storage.createKey()
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  type Options = { as?: string; path?: string; headers?: Record<string, string>; fileName?: string }

  const send = (key: string, content: Uint8Array<ArrayBuffer> | string, options: Options = {}) => {
    const { as = apiKey, path = '/api/v0/add', headers = {}, fileName = 'file.txt' } = options
    const body = new FormData()
    body.append('file', new Blob([content]), fileName)
    return storage.call(`${path}?idempotency-key=${key}`, {
      method: 'POST',
      body,
      headers: { ...bearer(as).headers, ...headers },
    })
  }
  const account = async (key = apiKey) => {
    const call = callWithKey(storage, key)
    const { json: list } = await call('/api/user/files_uploaded?lastKey=null')
    const { json: usage } = await call('/api/user/user_data_usage')
    return { list, usage }
  }
  const stores = async () => {
    const { db } = storage.context
    const packs = await db.read.selectFrom('pack').select(['id', 'state']).execute()
    const reservations = await db.read.selectFrom('reservation').select('id').execute()
    return { packs: packs.filter(({ state }) => state === 'live').length, reservations: reservations.length }
  }

  test('a repeated upload is stored and charged once, whatever its size', async () => {
    for (const size of [10, 100_000, 3 * MIB]) {
      const [key, content] = [randomUUID(), randomBytes(size)]
      const first = await send(key, content)
      const before = [await account(), await stores()]
      expect(first.status).toBe(200)
      expect((await send(key, content)).json).toEqual(first.json)
      expect([await account(), await stores()]).toEqual(before)
    }
  })

  test('concurrent requests with one key store one upload', async () => {
    const [key, content] = [randomUUID(), randomBytes(50_000)]
    const own = await storage.createKey()
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(key, content, { as: own })))
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      answers.map(() => ({ status: 200, body: answers[0]?.body })),
    )
    expect(await account(own)).toMatchObject({ list: { totalFiles: 1 } })
    expect((await stores()).reservations).toBe(0)
  })

  test('a large upload is answered before its body is received', async () => {
    const [key, content] = [randomUUID(), randomBytes(2 * MIB)]
    const { json: stored } = await send(key, content)
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': content.length + 100 }
    const again = request(`${storage.apiUrl}/api/v0/add?idempotency-key=${key}`, {
      method: 'POST',
      headers: { ...bearer(apiKey).headers, ...headers },
    })
    const answer = await new Promise<unknown>((done, fail) => {
      again.on('error', fail).on('response', (response) => done(json(response)))
      again.flushHeaders()
    })
    expect(answer).toEqual(stored)
    again.destroy()
  })

  test('a client that reads no response before it has sent all gets the response', async () => {
    const [key, content] = [randomUUID(), randomBytes(2 * MIB)]
    const { json: stored } = await send(key, content)
    const head = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="file.txt"\r\n\r\n')
    const body = Buffer.concat([head, content, Buffer.from('\r\n--b--\r\n')])
    const again = request(`${storage.apiUrl}/api/v0/add?idempotency-key=${key}`, {
      method: 'POST',
      headers: {
        ...bearer(apiKey).headers,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': body.length,
      },
    })
    const response = new Promise<IncomingMessage>((done, fail) => again.on('error', fail).on('response', done))
    const pieceBytes = 128 * KIB
    let at = 0
    for (; at + pieceBytes < body.length && !again.destroyed; at += pieceBytes) {
      again.write(body.subarray(at, at + pieceBytes))
      // Longer than a refusal lingers, all together.
      await pause(200)
    }
    expect(again.destroyed).toBe(false)
    again.end(body.subarray(at))
    expect(await json(await response)).toEqual(stored)
  })

  test('a key of other content is refused, and nothing is stored', async () => {
    const key = randomUUID()
    await send(key, 'one')
    const before = [await account(), await stores()]
    const refused = await send(key, 'another')
    expect([refused.status, errorCodeOf(refused)]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body).toContain('The idempotency-key belongs to an upload of other content')
    expect([await account(), await stores()]).toEqual(before)
  })

  test('a key of a public upload is refused for a private one, whatever its size', async () => {
    const own = await storage.createKey()
    for (const size of [10, 2 * MIB]) {
      const [key, content] = [randomUUID(), randomBytes(size)]
      await send(key, content, { as: own })
      const refused = await send(key, content, { as: own, headers: { private: 'true' } })
      expect([refused.status, errorCodeOf(refused)]).toEqual([400, 'INVALID_REQUEST'])
      expect(refused.body).toContain('belongs to an upload that is public')
    }
    expect(await account(own)).toMatchObject({ list: { totalFiles: 2 } })
  })

  test('a repeated upload needs no quota, even if it is small', async () => {
    const [own, key] = [await storage.createKey(), randomUUID()]
    const content = randomBytes(100_000)
    const { json: stored } = await send(key, content, { as: own })
    const { usage } = await account(own)
    const { dataLimit } = usage as { dataLimit: number }
    const { db } = storage.context
    const owner = db.read.selectFrom('upload').select('address').where('idempotency_key', 'is not', null)
    const { address } = await owner.orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()
    await db.write((trx) =>
      trx.updateTable('account').set({ data_used_bytes: dataLimit }).where('address', '=', address).execute(),
    )
    expect((await send(randomUUID(), content, { as: own })).status).toBe(402)
    const again = await send(key, content, { as: own })
    expect([again.status, again.json]).toEqual([200, stored])
    // A client that waits for a 100 gets the response and sends no body.
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': 100_200,
      expect: '100-continue',
    }
    const waiting = request(`${storage.apiUrl}/api/v0/add?idempotency-key=${key}`, {
      method: 'POST',
      headers: { ...bearer(own).headers, ...headers },
    })
    const answer = await new Promise<IncomingMessage>((done, fail) => {
      waiting.on('error', fail).on('response', done)
      waiting.flushHeaders()
    })
    expect([answer.statusCode, await json(answer)]).toEqual([200, stored])
    waiting.destroy()
  })

  test('each account has keys of its own', async () => {
    const [key, other] = [randomUUID(), await storage.createKey()]
    await send(key, 'of the first account')
    expect((await send(key, 'of the second account', { as: other })).status).toBe(200)
    expect(await account(other)).toMatchObject({ list: { totalFiles: 1 } })
  })

  test('a deleted upload is stored again', async () => {
    const [key, own] = [randomUUID(), await storage.createKey()]
    await send(key, 'deleted', { as: own })
    const { list } = await account(own)
    const { fileList } = list as { fileList: [{ id: string }] }
    await callWithKey(storage, own)(`/api/user/delete_file?id=${fileList[0].id}`, 'DELETE')
    expect((await send(key, 'deleted', { as: own })).status).toBe(200)
    expect(await account(own)).toMatchObject({ list: { totalFiles: 1 } })
  })

  test('a key is refused if one of several files is another one', async () => {
    const own = await storage.createKey()
    const key = randomUUID()
    const sendFiles = (...contents: string[]) => {
      const body = new FormData()
      for (const [at, content] of contents.entries()) body.append('file', new Blob([content]), `${at}.txt`)
      const headers = { ...bearer(own).headers, encryption: 'true' }
      return storage.call(`/api/v0/add?idempotency-key=${key}`, { method: 'POST', body, headers })
    }
    const first = await sendFiles('one', 'two', 'three')
    expect(first.json).toHaveLength(3)
    expect((await sendFiles('one', 'two', 'three')).json).toEqual(first.json)
    const refused = await sendFiles('one', 'two', 'changed')
    expect([refused.status, errorCodeOf(refused)]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body).toContain('The idempotency-key belongs to an upload of other content')
    expect(await account(own)).toMatchObject({ list: { totalFiles: 3 } })
  })

  test('encrypted uploads and CARs have keys, too', async () => {
    const own = await storage.createKey()
    const [first, second] = [randomUUID(), randomUUID()]
    const encrypted = { as: own, headers: { encryption: 'true' } }
    const { json: list } = await send(first, 'sealed', encrypted)
    expect((await send(first, 'sealed', encrypted)).json).toEqual(list)
    const bytes = new TextEncoder().encode('a block')
    const cid = CID.createV1(0x55, create(0x12, await hashSha256(bytes)))
    const car = Buffer.concat([encodeCarHeader([cid]), encodeCarFrame(cid, bytes.length), bytes])
    const inCar = { as: own, path: '/api/v0/dag/import', fileName: 'a.car' }
    const { json: root } = await send(second, car, inCar)
    expect((await send(second, car, inCar)).json).toEqual(root)
    expect(root).toMatchObject({ Hash: cid.toString() })
    expect(await account(own)).toMatchObject({ list: { totalFiles: 2 } })
  })

  test('a key is compared with all roots of its request', async () => {
    const own = await storage.createKey()
    const before = await stores()
    const toCar = async (texts: readonly string[]) => {
      const blocks = texts.map((text) => new TextEncoder().encode(text))
      const cids = await Promise.all(
        blocks.map(async (bytes) => CID.createV1(0x55, create(0x12, await hashSha256(bytes)))),
      )
      const frames = cids.flatMap((cid, at) => {
        const bytes = blocks[at] ?? new Uint8Array()
        return [encodeCarFrame(cid, bytes.length), bytes]
      })
      return Buffer.concat([encodeCarHeader(cids), ...frames])
    }
    const encrypted = async (key: string, texts: readonly string[]) => {
      const body = new FormData()
      for (const [at, text] of texts.entries()) body.append('file', new Blob([text]), `${at}.txt`)
      const headers = { ...bearer(own).headers, encryption: 'true' }
      return storage.call(`/api/v0/add?idempotency-key=${key}`, { method: 'POST', body, headers })
    }
    const inCar = { as: own, path: '/api/v0/dag/import', fileName: 'a.car' }
    const requests = [async (key: string, texts: readonly string[]) => send(key, await toCar(texts), inCar), encrypted]
    for (const [at, request] of requests.entries()) {
      const key = randomUUID()
      const first = await request(key, ['one', 'two'])
      expect(first.status).toBe(200)
      expect(await request(key, ['one', 'two'])).toMatchObject({ status: 200, json: first.json })
      const refused = await request(key, ['one', 'three'])
      expect([refused.status, errorCodeOf(refused)]).toEqual([400, 'INVALID_REQUEST'])
      expect(refused.body).toContain('The idempotency-key belongs to an upload of other content')
      expect(await account(own)).toMatchObject({ list: { totalFiles: 2 * (at + 1) } })
    }
    expect((await stores()).reservations).toBe(before.reservations)
  })

  test.each(['short', 'with spaces and more', 'x'.repeat(65), 'ä'.repeat(20)])('refuses the key %j', async (key) => {
    const refused = await send(encodeURIComponent(key), 'x')
    expect([refused.status, errorCodeOf(refused)]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body).toContain('idempotency-key')
  })
})
