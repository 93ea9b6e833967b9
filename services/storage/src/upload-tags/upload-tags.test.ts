// Tags of uploads through the API of a running service, on both databases.
import { randomBytes } from 'node:crypto'
import { maxTagsPerAccount } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

describeOnDatabases('tags of uploads on %s', (newDatabase) => {
  let storage: TestStorage
  beforeAll(async () => {
    const place = await newDatabase()
    storage = await startTestStorage({ ...place, CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  const open = async () => {
    const { headers } = bearer(await storage.createKey())
    return {
      headers,
      async upload(): Promise<string> {
        const body = new FormData()
        body.append('file', new Blob([randomBytes(10)]), 'a.txt')
        const { json } = await storage.call('/api/v0/add', { method: 'POST', headers, body })
        return (json as { Hash: string }).Hash
      },
      tag: (fields: Record<string, string>, init: RequestInit = { body: new URLSearchParams(fields) }) =>
        storage.call('/api/user/create_tag', { method: 'POST', ...init, headers: { ...headers, ...init.headers } }),
      async find(tag: string): Promise<unknown> {
        const { status, json } = await storage.call(`/api/user/get_tag_details?tag=${encodeURIComponent(tag)}`, {
          headers,
        })
        expect(status).toBe(200)
        return json
      },
    }
  }

  test('find an upload, move to another, and are removed with it', async () => {
    const account = await open()
    const [one, two] = [await account.upload(), await account.upload()]
    expect(await account.find('a b&c')).toEqual({ data: null })
    expect((await account.tag({ tag: 'a b&c', cid: one })).json).toEqual({ data: { tag: 'a b&c', cid: one } })
    expect((await account.tag({}, jsonBody({ tag: 'json', cid: one }))).status).toBe(200)
    expect(await account.find('a b&c')).toEqual({ data: { tag: 'a b&c', cid: one } })
    await account.tag({ tag: 'a b&c', cid: two })
    expect(await account.find('a b&c')).toEqual({ data: { tag: 'a b&c', cid: two } })
    await storage.call(`/api/user/delete_file?cid=${two}`, { method: 'DELETE', headers: account.headers })
    expect(await account.find('a b&c')).toEqual({ data: null })
    expect(await account.find('json')).toEqual({ data: { tag: 'json', cid: one } })
  })

  test('belong to one account, for uploads of its own', async () => {
    const [owner, stranger] = [await open(), await open()]
    const cid = await owner.upload()
    await owner.tag({ tag: 'mine', cid })
    expect(await stranger.find('mine')).toEqual({ data: null })
    const refused = async (fields: Record<string, string>) => {
      const { status, headers } = await stranger.tag(fields)
      return [status, headers.get('x-cairn-code')]
    }
    expect(await refused({ tag: 'mine', cid })).toEqual([404, 'NOT_FOUND'])
    expect(await refused({ tag: '', cid })).toEqual([400, 'INVALID_REQUEST'])
    expect(await refused({ tag: 'a', cid: 'no CID' })).toEqual([400, 'INVALID_CID'])
    expect(await refused({ tag: 'a\0b', cid })).toEqual([400, 'INVALID_REQUEST'])
    expect(await refused({ tag: 'a'.repeat(257), cid })).toEqual([400, 'INVALID_REQUEST'])
  })

  test('are limited, but a tag that exists can still move', async () => {
    const account = await open()
    const cid = await account.upload()
    await account.tag({ tag: '0', cid })
    const { db } = storage.context
    const row = await db.read
      .selectFrom('upload_tag')
      .selectAll()
      .where('upload_id', '=', (eb) => eb.selectFrom('upload').select('id').where('cid', '=', cid))
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: maxTagsPerAccount - 1 }, (_, i) => ({ ...row, tag: String(i + 1) }))
    for (let at = 0; at < rows.length; at += 1000)
      await db.write((trx) =>
        trx
          .insertInto('upload_tag')
          .values(rows.slice(at, at + 1000))
          .execute(),
      )
    expect((await account.tag({ tag: 'more', cid })).status).toBe(403)
    expect(await account.find('more')).toEqual({ data: null })
    expect((await account.tag({ tag: '7', cid: await account.upload() })).status).toBe(200)
  })
})
