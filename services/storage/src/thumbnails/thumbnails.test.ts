// Thumbnails through the API of a running service, on both databases.
import { randomBytes } from 'node:crypto'
import { maxThumbnailBytes } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

describeOnDatabases('thumbnails on %s', (newDatabase) => {
  let storage: TestStorage
  beforeAll(async () => {
    const place = await newDatabase()
    storage = await startTestStorage({ ...place, CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  test('are stored, replaced and read by an account for its own uploads, and removed with them', async () => {
    const key = await storage.createKey()
    const { headers } = bearer(key)
    const put = async (cid: string, data: string, by: Record<string, string> = headers) => {
      const { status, headers: answer } = await storage.call(`/api/thumbnails/${cid}`, {
        ...jsonBody({ data }),
        method: 'PUT',
        headers: { ...by, 'content-type': 'application/json' },
      })
      return [status, answer.get('x-cairn-code')]
    }
    const read = async (cids: string, by: Record<string, string> = headers) => {
      const { status, json } = await storage.call(`/api/thumbnails?cids=${cids}`, { headers: by })
      return [status, (json as { thumbnails?: unknown }).thumbnails]
    }
    const upload = async (name: string, bytes: number) => {
      const body = new FormData()
      body.append('file', new Blob([randomBytes(bytes)]), name)
      const { json } = await storage.call('/api/v0/add', { method: 'POST', headers, body })
      return (json as { Hash: string }).Hash
    }
    const [one, two] = [await upload('one.png', maxThumbnailBytes), await upload('two.png', 10)]
    expect(await read(one)).toEqual([200, []])
    const [first, second] = [randomBytes(90).toString('base64'), randomBytes(maxThumbnailBytes).toString('base64')]
    expect(await put(one, first)).toEqual([200, null])
    expect(await put(one, second)).toEqual([200, null])
    expect(await read(`${two},${one}`)).toEqual([200, [{ cid: one, data: second }]])
    expect(await put(two, first)).toEqual([400, 'INVALID_REQUEST'])
    expect(await put(one, randomBytes(maxThumbnailBytes + 3).toString('base64'))).toEqual([400, 'INVALID_REQUEST'])
    expect(await put(one, 'not base64')).toEqual([400, 'INVALID_REQUEST'])
    expect(await read(Array.from({ length: 33 }, () => one).join())).toEqual([400, undefined])

    const stranger = bearer(await storage.createKey()).headers
    expect(await read(one, stranger)).toEqual([200, []])
    expect(await put(one, first, stranger)).toEqual([404, 'NOT_FOUND'])
    const reader = bearer(await storage.createKey(undefined, { scopes: ['files:read'] })).headers
    expect(await put(one, first, reader)).toEqual([403, 'FORBIDDEN'])

    await storage.call(`/api/user/delete_file?cid=${one}`, { method: 'DELETE', headers })
    expect(await storage.context.db.read.selectFrom('thumbnail').selectAll().execute()).toEqual([])
  })
})
