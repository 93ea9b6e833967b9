// The drive of an account through the API of a running service, on both databases.

import { randomBytes } from 'node:crypto'
import { maxDriveBytes, maxDrivePartBytes, maxDriveParts } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

const someData = (bytes = 90): string => randomBytes(bytes).toString('base64')

describeOnDatabases('the drive on %s', (newDatabase) => {
  let storage: TestStorage
  beforeAll(async () => {
    const place = await newDatabase()
    storage = await startTestStorage({ ...place, CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  async function openAccount() {
    const key = await storage.createKey()
    const { headers } = bearer(key)
    const read = async (since?: number) => {
      const { status, json } = await storage.call(`/api/drive${since === undefined ? '' : `?since=${since}`}`, {
        headers,
      })
      expect(status).toBe(200)
      return json as { revision: number; parts: { first: number; last: number; data: string }[] }
    }
    const put = async (revision: number, first: number, last: number, data = someData()) => {
      const sent = jsonBody({ revision, first, last, data })
      const answer = await storage.call('/api/drive/parts', {
        ...sent,
        headers: { ...headers, 'content-type': 'application/json' },
      })
      const json = answer.json as { revision?: number; error?: { details?: { revision?: number } } }
      const code = answer.headers.get('x-cairn-code')
      const current = json.error?.details?.revision
      return { status: answer.status, code, data, revision: json.revision ?? current }
    }
    const append = async (count: number, from = 0) => {
      const made: string[] = []
      for (let at = from; at < from + count; at++) {
        const { status, data } = await put(at, at + 1, at + 1)
        expect(status).toBe(200)
        made.push(data)
      }
      return made
    }
    const remove = async (revision: number) => {
      const answer = await storage.call(`/api/drive?revision=${revision}`, { method: 'DELETE', headers })
      return { status: answer.status, code: answer.headers.get('x-cairn-code') }
    }
    return { read, put, append, remove }
  }

  test('appends changes, and reads them from any revision', async () => {
    const { read, append } = await openAccount()
    expect(await read()).toEqual({ revision: 0, parts: [] })
    const [first = '', second = '', third = ''] = await append(3)
    expect(await read()).toEqual({
      revision: 3,
      parts: [
        { first: 1, last: 1, data: first },
        { first: 2, last: 2, data: second },
        { first: 3, last: 3, data: third },
      ],
    })
    expect(await read(2)).toEqual({ revision: 3, parts: [{ first: 3, last: 3, data: third }] })
    expect(await read(3)).toEqual({ revision: 3, parts: [] })
    expect(await (await openAccount()).read()).toEqual({ revision: 0, parts: [] })
  })

  test('stores exactly one of several concurrent changes of one revision, and tells the others the revision', async () => {
    const { read, put, append } = await openAccount()
    await append(1)
    const tries = await Promise.all(Array.from({ length: 20 }, () => put(1, 2, 2)))
    const stored = tries.filter(({ status }) => status === 200)
    expect(stored).toHaveLength(1)
    expect(tries.filter(({ code }) => code === 'PRECONDITION_FAILED')).toHaveLength(19)
    expect(new Set(tries.map(({ revision }) => revision))).toEqual(new Set([2]))
    expect((await read()).parts.at(-1)).toEqual({ first: 2, last: 2, data: stored[0]?.data })
  })

  test('merges parts as a whole or not at all', async () => {
    const { read, put, append } = await openAccount()
    const changes = await append(5)
    const merged = await put(5, 2, 4)
    expect(merged).toMatchObject({ status: 200, revision: 5 })
    const expected = {
      revision: 5,
      parts: [
        { first: 1, last: 1, data: changes[0] },
        { first: 2, last: 4, data: merged.data },
        { first: 5, last: 5, data: changes[4] },
      ],
    }
    expect(await read()).toEqual(expected)
    // Within a merged part, and at a revision that is not the current one.
    for (const [revision, first, last] of [
      [5, 3, 4],
      [5, 2, 3],
      [5, 1, 3],
      [4, 1, 1],
    ] as const)
      expect(await put(revision, first, last)).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED', revision: 5 })
    for (const [first, last] of [
      [0, 1],
      [3, 2],
      [6, 7],
      [7, 7],
    ] as const)
      expect(await put(5, first, last)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect(await read()).toEqual(expected)
    expect(await put(5, 1, 5)).toMatchObject({ status: 200, revision: 5 })
    expect((await read(4)).parts).toMatchObject([{ first: 1, last: 5 }])
  })

  test('rejects a change of a drive that was replaced since, and accepts one of the present drive', async () => {
    const { read, put, remove } = await openAccount()
    const [zero, a, b, c] = [Buffer.alloc(16), randomBytes(16), randomBytes(16), randomBytes(16)]
    const part = (before: Buffer, after: Buffer) =>
      Buffer.concat([Buffer.from('CDR1'), Buffer.alloc(12), before, after, randomBytes(90)]).toString('base64')
    expect(await put(0, 1, 1, part(zero, a))).toMatchObject({ status: 200 })
    expect(await put(1, 2, 2, part(a, b))).toMatchObject({ status: 200 })
    await remove(2)
    // Another device starts a new drive, which eventually reaches the same revision.
    expect(await put(0, 1, 1, part(zero, c))).toMatchObject({ status: 200 })
    expect(await put(1, 2, 2, part(a, b))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await put(1, 2, 2, part(c, b))).toMatchObject({ status: 200 })
    // Merged parts keep the outer tips.
    expect(await put(2, 1, 2, part(zero, b))).toMatchObject({ status: 200 })
    expect(await put(2, 3, 3, part(c, a))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await put(2, 3, 3, part(b, a))).toMatchObject({ status: 200 })
    expect((await read()).parts.map(({ first, last }) => [first, last])).toEqual([
      [1, 2],
      [3, 3],
    ])
  })

  test('limits number and size of parts, and merging frees space', async () => {
    const { read, put, append } = await openAccount()
    await append(maxDriveParts)
    expect(await put(maxDriveParts, maxDriveParts + 1, maxDriveParts + 1)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
    expect(await put(maxDriveParts, 1, maxDriveParts - 20)).toMatchObject({ status: 200 })
    const large = someData(maxDrivePartBytes)
    const fits = maxDriveBytes / maxDrivePartBytes - 1
    for (let at = maxDriveParts; at < maxDriveParts + fits; at++)
      expect(await put(at, at + 1, at + 1, large)).toMatchObject({ status: 200 })
    const { revision, parts } = await read()
    expect(await put(revision, revision + 1, revision + 1, large)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await read()).toEqual({ revision, parts })
    expect(await put(revision, revision, revision)).toMatchObject({ status: 200 })
    expect(await put(revision, revision + 1, revision + 1, large)).toMatchObject({ status: 200 })
    expect(await put(revision + 1, revision + 2, revision + 2, someData(maxDrivePartBytes + 3))).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
    })
  })

  test('is removed as a whole, unless it was changed meanwhile', async () => {
    const { read, append, remove } = await openAccount()
    expect(await remove(0)).toMatchObject({ status: 200 })
    await append(3)
    expect(await remove(2)).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
    expect((await read()).parts).toHaveLength(3)
    expect(await remove(3)).toMatchObject({ status: 200 })
    expect(await read()).toEqual({ revision: 0, parts: [] })
    await append(1)
    expect((await read()).revision).toBe(1)
  })

  test('cannot be read or changed by a key without the scope, and accepts only base64 data', async () => {
    const key = await storage.createKey(undefined, { scopes: ['files:read'] })
    const { headers } = bearer(key)
    expect((await storage.call('/api/drive', { headers })).status).toBe(200)
    const body = { revision: 0, first: 1, last: 1, data: someData() }
    const send = (by: Record<string, string>, change: object = {}) =>
      storage.call('/api/drive/parts', {
        ...jsonBody({ ...body, ...change }),
        headers: { ...by, 'content-type': 'application/json' },
      })
    expect((await send(headers)).headers.get('x-cairn-code')).toBe('FORBIDDEN')
    const full = bearer(await storage.createKey()).headers
    for (const data of ['', 'abc', 'ab_d', '=abc', 7])
      expect((await send(full, { data })).headers.get('x-cairn-code'), String(data)).toBe('INVALID_REQUEST')
    for (const since of ['-1', '1.5', 'x'])
      expect((await storage.call(`/api/drive?since=${since}`, { headers })).status).toBe(400)
  })
})
