// Upload links through the API of a running service, on both databases.

import { randomBytes, randomUUID } from 'node:crypto'
import { MIB, maxUploadLinkLifetimeMs, maxUploadLinksPerAccount, type UploadLink } from '@cairn/protocol'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { createTus, tusMetadata } from '../resumable/tus.fixture.ts'
import { removeExpired } from '../resumable/worker.ts'
import { bearer, callWithKey, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { clearUploadLinks } from './store.ts'

const day = 86_400_000
const never = new AbortController().signal
type Created = UploadLink & { token: string }

describeOnDatabases('upload links on %s', (newDatabase) => {
  let storage: TestStorage
  beforeAll(async () => {
    const place = await newDatabase()
    storage = await startTestStorage({
      ...place,
      CAIRN_RATE_FACTOR: '0',
      CAIRN_FREE_BYTES: String(8 * MIB),
      CAIRN_OPEN_UPLOADS: '3',
    })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  /** An account and its links. */
  async function openAccount() {
    const account = privateKeyToAccount(generatePrivateKey())
    const address = account.address.toLowerCase()
    const key = await storage.createKey(account)
    const call = callWithKey(storage, key)
    const fields = (more: object = {}) => ({
      maxFileBytes: 1000,
      maxTotalBytes: 3000,
      maxUploads: 5,
      expiresAt: storage.context.clock.now() + day,
      ...more,
    })
    const create = async (more: object = {}) => {
      const made = await call('/api/upload-links', 'POST', fields(more))
      expect(made.status, made.body).toBe(200)
      const link = made.json as Created
      return { ...link, ...sender(link.token, address) }
    }
    const show = async (id: string) =>
      ((await call('/api/upload-links')).json as { links: UploadLink[] }).links.find((one) => one.id === id)
    return { address, key, call, fields, create, show, own: sender(key, address) }
  }

  /** A person who has only the token. */
  function sender(token: string, address: string) {
    const tus = createTus(() => ({ storage, key: token, address }))
    const start = (length: number, metadata: Record<string, string> = { filename: 'a.bin' }) =>
      tus.tus('/api/uploads', {
        method: 'POST',
        headers: { 'upload-length': String(length), 'upload-metadata': tusMetadata(metadata) },
      })
    const send = async (bytes: Uint8Array, metadata?: Record<string, string>) => {
      const path = await tus.create(bytes.length, metadata)
      if (bytes.length > 0) expect((await tus.patch(path, 0, bytes)).status).toBe(204)
      return tus.info(path)
    }
    const inspect = () => storage.call('/api/upload-link/inspect', jsonBody({ token }))
    return { ...tus, start, send, inspect }
  }

  const codeOf = (answer: { status: number; headers: Headers }) => [answer.status, answer.headers.get('x-cairn-code')]
  const detailsOf = (answer: { json: unknown }) => (answer.json as { error?: { details?: object } }).error?.details

  test('let a sender with only the token upload into the account, which is charged', async () => {
    const owner = await openAccount()
    const link = await owner.create({ label: 'for Ada', contentTypes: ['Image/*', 'application/pdf'] })
    const info = { owner: owner.address, contentTypes: ['image/*', 'application/pdf'], maxFileBytes: 1000 }
    expect((await link.inspect()).json).toMatchObject({ ...info, uploadsLeft: 5, bytesLeft: 3000 })
    const bytes = randomBytes(700)
    const { state, result, name } = await link.send(bytes, { filename: 'cat.png', filetype: 'image/png' })
    expect([state, name]).toEqual(['stored', 'cat.png'])
    const [root] = result ?? []
    expect(Buffer.from(await link.read(root?.Hash ?? ''))).toEqual(bytes)
    expect(await owner.own.figures()).toMatchObject({ used: 700, reserved: 0, uploads: 1 })
    expect(await owner.show(link.id)).toMatchObject({
      label: 'for Ada',
      state: 'open',
      uploads: 1,
      uploadedBytes: 700,
      openUploads: 0,
      openBytes: 0,
    })
    expect((await link.inspect()).json).toMatchObject({ uploadsLeft: 4, bytesLeft: 2300 })
    const listed = (await owner.call('/api/user/files_uploaded')).json as { fileList: object[] }
    const sent = { fileName: 'cat.png', mimeType: 'image/png', cid: root?.Hash, uploadLinkId: link.id }
    expect(listed.fileList).toMatchObject([sent])
    await owner.own.send(bytes, { filename: 'cat.png' })
    const { fileList } = (await owner.call('/api/user/files_uploaded?limit=1')).json as { fileList: object[] }
    expect(fileList).toMatchObject([{ cid: root?.Hash }])
    expect(fileList[0]).not.toHaveProperty('uploadLinkId')
    const events = (await owner.call('/api/events?types=upload_link.created,upload_link.used')).json
    expect(events).toMatchObject({
      events: [
        { type: 'upload_link.created', data: { linkId: link.id, maxUploads: 5, maxTotalBytes: 3000 } },
        { type: 'upload_link.used', data: { linkId: link.id, cid: root?.Hash, sizeBytes: 700, uploads: 1 } },
      ],
    })
    const rows = await storage.context.db.read.selectFrom('upload_link').selectAll().execute()
    const secret = link.token.slice(-43)
    for (const kept of [storage.log, events, rows, await owner.call('/api/upload-links')])
      expect(JSON.stringify(kept)).not.toContain(secret)
    expect(storage.log.join('')).not.toContain('Bearer cairn_upload')
  })

  test('open no other call by their token, and hide uploads of the account and of other links', async () => {
    const owner = await openAccount()
    const [link, other] = [await owner.create(), await owner.create()]
    for (const [path, method] of [
      ['/api/user/files_uploaded', 'GET'],
      ['/api/uploads', 'GET'],
      ['/api/upload-links', 'GET'],
      [`/api/upload-links/${link.id}`, 'DELETE'],
      ['/api/v0/add', 'POST'],
      ['/api/events', 'GET'],
    ] as const)
      expect(codeOf(await link.tus(path, { method })), path).toEqual([403, 'FORBIDDEN'])
    const mine = await link.create(10)
    for (const stranger of [other, owner.own]) {
      expect((await stranger.head(mine)).status).toBe(404)
      expect((await stranger.patch(mine, 0, randomBytes(10))).status).toBe(404)
      expect((await stranger.tus(mine, { method: 'DELETE' })).status).toBe(404)
    }
    expect((await owner.call('/api/uploads')).json).toEqual({ uploads: [] })
    const own = await owner.own.create(10)
    expect((await link.head(own)).status).toBe(404)
    expect((await link.head(mine)).status).toBe(200)
    const wrong = `${link.token.slice(0, -1)}${link.token.endsWith('A') ? 'B' : 'A'}`
    const stranger = sender(wrong, owner.address)
    expect(codeOf(await stranger.start(1))).toEqual([401, 'UNAUTHENTICATED'])
    expect(codeOf(await stranger.inspect())).toEqual([404, 'NOT_FOUND'])
    const reader = await storage.createKey(undefined, { scopes: ['files:read'] })
    const narrow = {
      ...jsonBody(owner.fields()),
      headers: { ...bearer(reader).headers, 'content-type': 'application/json' },
    }
    expect(codeOf(await storage.call('/api/upload-links', narrow))).toEqual([403, 'FORBIDDEN'])
  })

  test('enforce size, total, count and type, also while bytes arrive', async () => {
    const owner = await openAccount()
    const link = await owner.create({ contentTypes: ['text/plain'], maxTotalBytes: 1500, maxUploads: 2 })
    const text = { filename: 'a.txt', filetype: 'text/plain; charset=utf-8' }
    for (const [length, metadata, code] of [
      [1001, text, 'PAYLOAD_TOO_LARGE'],
      [10, { filename: 'a.png', filetype: 'image/png' }, 'UNSUPPORTED_MEDIA_TYPE'],
      [10, { filename: 'unknown' }, 'UNSUPPORTED_MEDIA_TYPE'],
      [10, { ...text, 'body-type': 'application/vnd.ipld.car' }, 'INVALID_REQUEST'],
      [10, { ...text, 'idempotency-key': 'short' }, 'INVALID_REQUEST'],
      [10, { ...text, filename: '../a.txt' }, 'INVALID_PATH'],
    ] as const)
      expect((await link.start(length, metadata)).headers.get('x-cairn-code'), JSON.stringify(metadata)).toBe(code)
    expect(await owner.show(link.id)).toMatchObject({ uploads: 0, openUploads: 0 })
    // The type of the name counts if the sender declares none, and an option that is up to the account is ignored.
    const path = await link.create(1000, { filename: 'a.txt', encryption: 'true', announce: 'true' })
    expect(codeOf(await link.patch(path, 0, randomBytes(1001)))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await owner.show(link.id)).toMatchObject({ uploads: 0, openUploads: 1, openBytes: 1000 })
    const tooMuch = await link.start(501, text)
    expect(codeOf(tooMuch)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(detailsOf(tooMuch)).toMatchObject({ limitBytes: 500 })
    expect((await link.patch(path, 0, randomBytes(1000))).status).toBe(204)
    const empty = await link.send(new Uint8Array(), text)
    expect(empty.state).toBe('stored')
    const answer = await link.start(1, text)
    expect([codeOf(answer), detailsOf(answer)]).toEqual([[410, 'GONE'], { reason: 'used-up' }])
    expect(detailsOf(await link.inspect())).toEqual({ reason: 'used-up' })
    expect(await owner.show(link.id)).toMatchObject({ state: 'ended', uploads: 2, uploadedBytes: 1000 })
    const listed = (await owner.call('/api/user/files_uploaded')).json as { fileList: object[] }
    expect(listed.fileList).toMatchObject([{ encryption: false }, { encryption: false }])
    // The limit of bytes ends a link, too.
    const small = await owner.create({ maxTotalBytes: 10 })
    expect((await small.send(randomBytes(10))).state).toBe('stored')
    expect(detailsOf(await small.start(0))).toEqual({ reason: 'used-up' })
    expect(await owner.show(small.id)).toMatchObject({ state: 'ended', uploads: 1 })
  })

  test('start exactly as many concurrent uploads as allowed, and a cancelled one frees its place', async () => {
    const owner = await openAccount()
    const link = await owner.create({ maxUploads: 2 })
    expect((await link.send(randomBytes(5))).state).toBe('stored')
    const answers = await Promise.all(Array.from({ length: 8 }, () => link.start(10)))
    const [winner, ...others] = answers.filter(({ status }) => status === 201)
    expect(others).toEqual([])
    for (const answer of answers.filter((one) => one !== winner)) expect(codeOf(answer)).toEqual([403, 'UPLOAD_LIMIT'])
    const path = new URL(winner?.headers.get('location') ?? '', 'http://x/api/uploads').pathname
    expect((await link.tus(path, { method: 'DELETE' })).status).toBe(204)
    expect(await owner.show(link.id)).toMatchObject({ uploads: 1, openUploads: 0 })
    expect(await owner.own.figures()).toMatchObject({ reserved: 0 })
    expect((await link.send(randomBytes(10))).state).toBe('stored')
    expect(codeOf(await link.start(10))).toEqual([410, 'GONE'])
  })

  test('treat a repeated call with the same key as the same upload, counted once', async () => {
    const owner = await openAccount()
    const link = await owner.create({ maxUploads: 1, maxTotalBytes: 10 })
    const metadata = { filename: 'a.bin', 'idempotency-key': randomUUID() }
    const answers = await Promise.all(Array.from({ length: 6 }, () => link.start(10, metadata)))
    const [location, ...others] = new Set(answers.map(({ headers }) => headers.get('location')))
    expect([answers.map(({ status }) => status), others]).toEqual([Array(6).fill(201), []])
    expect(await owner.own.figures()).toMatchObject({ reserved: 10 })
    expect(codeOf(await link.start(9, metadata))).toEqual([400, 'INVALID_REQUEST'])
    const path = `/api/${location}`
    expect((await link.patch(path, 0, randomBytes(10))).status).toBe(204)
    // The link is used up, and the response to the last call may be lost again.
    expect((await link.start(10, metadata)).headers.get('location')).toBe(location)
    expect((await link.info(path)).state).toBe('stored')
    expect(await owner.show(link.id)).toMatchObject({ state: 'ended', uploads: 1, uploadedBytes: 10, openUploads: 0 })
    // The same key on another link, or of the account, is another upload.
    const own = await owner.own.start(10, metadata)
    expect([own.status, own.headers.get('location') === location]).toEqual([201, false])
    expect((await owner.own.start(10, metadata)).headers.get('location')).toBe(own.headers.get('location'))
  })

  test('store nothing more when revoked, including uploads in progress', async () => {
    const owner = await openAccount()
    const link = await owner.create()
    const path = await link.create(10)
    expect((await link.patch(path, 0, randomBytes(4))).status).toBe(204)
    const complete = await link.create(10)
    await link.dieBeforeStoring(complete, randomBytes(10))
    const other = await openAccount()
    expect((await other.call(`/api/upload-links/${link.id}`, 'DELETE')).status).toBe(404)
    for (let times = 0; times < 2; times++)
      expect((await owner.call(`/api/upload-links/${link.id}`, 'DELETE')).json).toMatchObject({ state: 'revoked' })
    for (const answer of [await link.patch(path, 4, randomBytes(6)), await link.start(1), await link.inspect()])
      expect([codeOf(answer), detailsOf(answer)]).toEqual([[410, 'GONE'], { reason: 'revoked' }])
    await removeExpired(storage.context, never)
    expect(await owner.own.figures()).toMatchObject({ used: 0, reserved: 0, uploads: 0 })
    expect((await owner.call('/api/events?types=upload_link.revoked')).json).toMatchObject({
      events: [{ data: { linkId: link.id } }],
    })
  })

  test('refuse senders of a blocked or full account, and reveal nothing about it', async () => {
    const owner = await openAccount()
    const link = await owner.create({ maxFileBytes: 64 * MIB, maxTotalBytes: 64 * MIB })
    const full = await link.start(9 * MIB)
    expect([codeOf(full), detailsOf(full)]).toEqual([[402, 'QUOTA_EXCEEDED'], undefined])
    await storage.context.db.write((trx) =>
      trx.updateTable('account').set({ blocked_at: 1 }).where('address', '=', owner.address).execute(),
    )
    for (const answer of [await link.start(1), await link.inspect()])
      expect(codeOf(answer)).toEqual([403, 'ACCOUNT_BLOCKED'])
  })

  test('have their own limit of uploads in progress', async () => {
    const owner = await openAccount()
    const [link, other] = [await owner.create(), await owner.create()]
    for (let at = 0; at < 3; at++) await link.create(1)
    expect(codeOf(await link.start(1))).toEqual([403, 'UPLOAD_LIMIT'])
    expect((await other.start(1)).status).toBe(201)
    expect((await owner.own.start(1)).status).toBe(201)
  })

  test('accept uploads from pages of any origin', async () => {
    const owner = await openAccount()
    const link = await owner.create()
    const headers = { origin: 'https://example.com' }
    const preflight = await storage.call('/api/uploads', {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization.*Upload-Metadata/)
    const started = await link.tus('/api/uploads', { method: 'POST', headers: { ...headers, 'upload-length': '1' } })
    expect(started.headers.get('access-control-allow-origin')).toBe('*')
    expect(started.headers.get('access-control-expose-headers')).toContain('Location')
  })

  test('are rejected if invalid, and limited per account while open', async () => {
    const owner = await openAccount()
    const now = storage.context.clock.now()
    for (const [bad, code] of [
      [{ expiresAt: now - 1 }, 'INVALID_REQUEST'],
      [{ expiresAt: now + maxUploadLinkLifetimeMs + day }, 'INVALID_REQUEST'],
      [{ maxUploads: 0 }, 'INVALID_REQUEST'],
      [{ maxFileBytes: 1.5 }, 'INVALID_REQUEST'],
      [{ maxTotalBytes: 2 ** 53 }, 'INVALID_REQUEST'],
      [{ contentTypes: ['image'] }, 'INVALID_REQUEST'],
      [{ contentTypes: ['*/*'] }, 'INVALID_REQUEST'],
      [{ label: 'a\nb' }, 'INVALID_LABEL'],
    ] as const)
      expect(codeOf(await owner.call('/api/upload-links', 'POST', owner.fields(bad)))).toEqual([400, code])
    const first = await owner.create()
    const { db } = storage.context
    const row = await db.read.selectFrom('upload_link').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow()
    const rows = Array.from({ length: maxUploadLinksPerAccount - 2 }, (_, at) => ({ ...row, id: `${row.id}${at}` }))
    for (let at = 0; at < rows.length; at += 100)
      await db.write((trx) =>
        trx
          .insertInto('upload_link')
          .values(rows.slice(at, at + 100))
          .execute(),
      )
    const tries = await Promise.all(
      Array.from({ length: 4 }, () => owner.call('/api/upload-links', 'POST', owner.fields())),
    )
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403])
    expect((await owner.call(`/api/upload-links/${first.id}`, 'DELETE')).status).toBe(200)
    await owner.create()
  })

  test('that are open are listed behind any number that ended, newest first', async () => {
    const owner = await openAccount()
    const first = await owner.create()
    const { db } = storage.context
    const row = await db.read.selectFrom('upload_link').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow()
    const ended = Array.from({ length: maxUploadLinksPerAccount + 5 }, (_, at) => ({
      ...row,
      id: `${row.id}${at}`,
      created_at: row.created_at + 1 + at,
      revoked_at: row.created_at + 1 + at,
    }))
    for (let at = 0; at < ended.length; at += 100)
      await db.write((trx) =>
        trx
          .insertInto('upload_link')
          .values(ended.slice(at, at + 100))
          .execute(),
      )
    const { links } = (await owner.call('/api/upload-links')).json as { links: UploadLink[] }
    const newest = ended.slice(6).map(({ id }) => id)
    expect(links.map(({ id }) => id)).toEqual([...newest.reverse(), first.id])
  })

  // Last: it advances the clock.
  test('start no upload once expired, finish those in progress, and are removed a month later', async () => {
    const owner = await openAccount()
    const link = await owner.create()
    const long = await owner.create({ expiresAt: storage.context.clock.now() + 60 * day })
    expect((await long.send(randomBytes(5))).state).toBe('stored')
    storage.pass(day - 60_000)
    const path = await link.create(10)
    const late = await link.create(10)
    storage.pass(60_000)
    for (const answer of [await link.start(1), await link.inspect()])
      expect([codeOf(answer), detailsOf(answer)]).toEqual([[410, 'GONE'], { reason: 'expired' }])
    expect((await link.patch(path, 0, randomBytes(10))).status).toBe(204)
    expect(await owner.show(link.id)).toMatchObject({ state: 'ended', uploads: 1, openUploads: 1 })
    // An abandoned upload returns its space within a day.
    storage.pass(day - 1000)
    await removeExpired(storage.context, never)
    expect(await owner.own.figures()).toMatchObject({ used: 15, reserved: 0 })
    storage.pass(1000)
    expect(codeOf(await link.patch(late, 0, randomBytes(10)))).toEqual([410, 'GONE'])
    storage.pass(29 * day)
    await clearUploadLinks(storage.context)
    expect(await owner.show(link.id)).toBeUndefined()
    // One that was used a month ago and is still valid stays.
    expect((await long.send(randomBytes(5))).state).toBe('stored')
  })
})
