// Links through the API of a running service, on both databases.

import { randomBytes } from 'node:crypto'
import { type FileLink, maxLinkFailures, maxLinkLifetimeMs, maxLinksPerAccount } from '@cairn/protocol'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, callWithKey, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { clearLinks } from './store.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const day = 86_400_000
const secret = (bytes = 32): string => randomBytes(bytes).toString('base64url')

describeOnDatabases('links on %s', (newDatabase) => {
  let storage: TestStorage
  beforeAll(async () => {
    const place = await newDatabase()
    storage = await startTestStorage({ ...place, CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  /** An account, and a link of it with its secrets. */
  async function openAccount() {
    const account = privateKeyToAccount(generatePrivateKey())
    const key = await storage.createKey(account)
    const call = callWithKey(storage, key)
    const fields = (more: object = {}) => ({
      id: secret(16),
      cid,
      sealed: secret(100),
      token: secret(),
      expiresAt: storage.context.clock.now() + day,
      maxOpens: 5,
      ...more,
    })
    const create = async (more: object = {}) => {
      const body = fields(more)
      const made = await call('/api/links', 'POST', body)
      expect(made.status, made.body).toBe(200)
      return body
    }
    const show = async (id: string) =>
      ((await call('/api/links')).json as { links: FileLink[] }).links.find((one) => one.id === id)
    return { address: account.address.toLowerCase(), key, call, fields, create, show }
  }

  const visit = async (action: 'open' | 'inspect', id: string, proof: { token: string; passwordToken?: string }) => {
    const { token, passwordToken } = proof
    const body = { token, ...(passwordToken === undefined ? {} : { passwordToken }) }
    const { status, json, headers } = await storage.call(`/api/links/${id}/${action}`, jsonBody(body))
    const { message, details } = (status === 200 ? {} : ((json as { error: { message: string } }).error ?? json)) as {
      message?: string
      details?: { reason?: string }
    }
    return { status, json, code: headers.get('x-cairn-code'), message, reason: details?.reason }
  }
  const rowOf = (id: string) =>
    storage.context.db.read.selectFrom('link').selectAll().where('id', '=', id).executeTakeFirst()

  test('show a visitor who shared them, open, and show the owner how often', async () => {
    const owner = await openAccount()
    const link = await owner.create({ label: 'for Ada', maxOpens: 2 })
    const info = { owner: owner.address, needsPassword: false, expiresAt: link.expiresAt }
    expect((await visit('inspect', link.id, link)).json).toEqual({ ...info, opensLeft: 2 })
    expect((await visit('open', link.id, link)).json).toEqual({ ...info, opensLeft: 1, cid, sealed: link.sealed })
    expect(await owner.show(link.id)).toMatchObject({ label: 'for Ada', state: 'open', opens: 1, maxOpens: 2, cid })
    expect((await visit('open', link.id, link)).status).toBe(200)
    for (const action of ['open', 'inspect'] as const)
      expect(await visit(action, link.id, link)).toMatchObject({
        status: 410,
        code: 'GONE',
        message: 'The link is used up',
        reason: 'used-up',
      })
    expect(await owner.show(link.id)).toMatchObject({ state: 'ended', opens: 2 })
    expect(await rowOf(link.id)).toMatchObject({ sealed: null })
    const events = (await owner.call('/api/events?types=link.created,link.opened')).json
    expect(events).toMatchObject({
      events: [
        { type: 'link.created', data: { linkId: link.id, cid, maxOpens: 2 } },
        { type: 'link.opened', data: { linkId: link.id, opens: 1 } },
        { type: 'link.opened', data: { linkId: link.id, opens: 2 } },
      ],
    })
    const stored = JSON.stringify([storage.log, events, await owner.call('/api/links')])
    for (const value of [link.token, link.sealed]) expect(stored).not.toContain(value)
  })

  test('open nothing and count nothing by their id alone', async () => {
    const owner = await openAccount()
    const link = await owner.create()
    for (const action of ['open', 'inspect'] as const)
      expect(await visit(action, link.id, { token: secret() })).toMatchObject({ status: 403, code: 'ACCESS_DENIED' })
    expect(await visit('open', secret(16), link)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await rowOf(link.id)).toMatchObject({ opens: 0, failures: 0 })
  })

  test('open exactly as often under concurrency as allowed', async () => {
    const owner = await openAccount()
    const link = await owner.create({ maxOpens: 7 })
    const results = await Promise.all(Array.from({ length: 30 }, () => visit('open', link.id, link)))
    expect(results.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(results.filter(({ code }) => code === 'GONE')).toHaveLength(23)
    expect(await rowOf(link.id)).toMatchObject({ opens: 7, sealed: null })
  })

  test('count wrong passwords exactly, and end even for the right one after too many', async () => {
    const owner = await openAccount()
    const link = await owner.create({ passwordToken: secret() })
    expect((await visit('inspect', link.id, link)).json).toMatchObject({ needsPassword: true })
    expect(await visit('open', link.id, { token: link.token })).toMatchObject({
      code: 'ACCESS_DENIED',
      message: 'This link needs a password',
    })
    expect(await rowOf(link.id)).toMatchObject({ failures: 0 })
    const guess = () => visit('open', link.id, { token: link.token, passwordToken: secret() })
    expect(await guess()).toMatchObject({ code: 'ACCESS_DENIED', message: 'The password is wrong' })
    const passwordToken = (link as { passwordToken?: string }).passwordToken ?? ''
    expect((await visit('open', link.id, { token: link.token, passwordToken })).status).toBe(200)
    const results = await Promise.all(Array.from({ length: 40 }, guess))
    expect(results.filter(({ code }) => code === 'ACCESS_DENIED')).toHaveLength(maxLinkFailures - 1)
    expect(results.filter(({ code }) => code === 'GONE')).toHaveLength(41 - maxLinkFailures)
    expect(await rowOf(link.id)).toMatchObject({ failures: maxLinkFailures, opens: 1, sealed: null })
    const refused = { code: 'GONE', reason: 'used-up' }
    expect(await visit('open', link.id, { token: link.token, passwordToken })).toMatchObject(refused)
  })

  test('end at once when revoked, and only their owner revokes them', async () => {
    const owner = await openAccount()
    const link = await owner.create()
    const other = await openAccount()
    expect((await other.call(`/api/links/${link.id}`, 'DELETE')).status).toBe(404)
    const narrow = await storage.createKey(undefined, { scopes: ['files:read'] })
    expect((await storage.call(`/api/links/${link.id}`, { method: 'DELETE', ...bearer(narrow) })).status).toBe(403)
    expect((await visit('open', link.id, link)).status).toBe(200)
    for (let times = 0; times < 2; times++)
      expect((await owner.call(`/api/links/${link.id}`, 'DELETE')).json).toMatchObject({ state: 'revoked', opens: 1 })
    expect(await visit('open', link.id, link)).toMatchObject({
      code: 'GONE',
      message: 'The link was revoked',
      reason: 'revoked',
    })
    expect(await rowOf(link.id)).toMatchObject({ sealed: null })
    expect((await owner.call('/api/events?types=link.revoked')).json).toMatchObject({ events: [{ data: { cid } }] })
    expect(((await other.call('/api/links')).json as { links: unknown[] }).links).toEqual([])
  })

  test('do not open for a blocked account', async () => {
    const owner = await openAccount()
    const link = await owner.create()
    await storage.context.db.write((trx) =>
      trx.updateTable('account').set({ blocked_at: 1 }).where('address', '=', owner.address).execute(),
    )
    expect(await visit('open', link.id, link)).toMatchObject({ status: 403, code: 'ACCOUNT_BLOCKED' })
  })

  test('are rejected if invalid, and use an id once', async () => {
    const owner = await openAccount()
    const now = storage.context.clock.now()
    for (const [bad, code] of [
      [{ expiresAt: now - 1 }, 'INVALID_REQUEST'],
      [{ expiresAt: now + maxLinkLifetimeMs + day }, 'INVALID_REQUEST'],
      [{ maxOpens: 0 }, 'INVALID_REQUEST'],
      [{ maxOpens: 1.5 }, 'INVALID_REQUEST'],
      [{ id: 'short' }, 'INVALID_REQUEST'],
      [{ token: `${secret()}=` }, 'INVALID_REQUEST'],
      [{ sealed: 'x'.repeat(8193) }, 'INVALID_REQUEST'],
      [{ label: 'a\nb' }, 'INVALID_LABEL'],
      [{ cid: 'no cid' }, 'INVALID_CID'],
    ] as const) {
      const answer = await owner.call('/api/links', 'POST', owner.fields(bad))
      expect([answer.status, answer.headers.get('x-cairn-code')], JSON.stringify(bad)).toEqual([400, code])
    }
    const { id } = await owner.create()
    const again = await (await openAccount()).call('/api/links', 'POST', owner.fields({ id }))
    expect(again.headers.get('x-cairn-code')).toBe('CONFLICT')
  })

  test('are limited per account, without those that ended', async () => {
    const owner = await openAccount()
    const first = await owner.create()
    const { db } = storage.context
    const row = await rowOf(first.id)
    if (row === undefined) throw new Error('no row')
    const rows = Array.from({ length: maxLinksPerAccount - 2 }, () => ({ ...row, id: secret(16) }))
    for (let at = 0; at < rows.length; at += 100)
      await db.write((trx) =>
        trx
          .insertInto('link')
          .values(rows.slice(at, at + 100))
          .execute(),
      )
    const tries = await Promise.all(Array.from({ length: 4 }, () => owner.call('/api/links', 'POST', owner.fields())))
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403])
    expect((await owner.call(`/api/links/${first.id}`, 'DELETE')).status).toBe(200)
    await owner.create()
  })

  test('that are open are listed behind any number that ended, newest first', async () => {
    const owner = await openAccount()
    const first = await owner.create()
    const row = await rowOf(first.id)
    if (row === undefined) throw new Error('no row')
    const ended = Array.from({ length: maxLinksPerAccount + 5 }, (_row, i) => ({
      ...row,
      id: secret(16),
      sealed: null,
      created_at: row.created_at + 1 + i,
    }))
    for (let at = 0; at < ended.length; at += 100)
      await storage.context.db.write((trx) =>
        trx
          .insertInto('link')
          .values(ended.slice(at, at + 100))
          .execute(),
      )
    const { links } = (await owner.call('/api/links')).json as { links: FileLink[] }
    const newest = ended.slice(6).map(({ id }) => id)
    expect(links.map(({ id }) => id)).toEqual([...newest.reverse(), first.id])
    expect(links.at(-1)).toMatchObject({ state: 'open' })
    expect((await owner.call(`/api/links/${first.id}`, 'DELETE')).status).toBe(200)
  })

  // Last: it advances the clock.
  test('an expired link does not open; its key is deleted, and its row a month later', async () => {
    const owner = await openAccount()
    const now = storage.context.clock.now()
    const link = await owner.create({ expiresAt: now + day })
    const long = await owner.create({ expiresAt: now + 60 * day, maxOpens: 2 })
    expect((await visit('open', long.id, long)).status).toBe(200)
    storage.pass(day)
    expect(await visit('open', link.id, link)).toMatchObject({
      code: 'GONE',
      message: 'The link has expired',
      reason: 'expired',
    })
    await clearLinks(storage.context)
    expect(await rowOf(link.id)).toMatchObject({ sealed: null, opens: 0 })
    expect(await owner.show(link.id)).toMatchObject({ state: 'ended' })
    storage.pass(30 * day)
    await clearLinks(storage.context)
    expect(await rowOf(link.id)).toBeUndefined()
    // One that was opened a month ago and is still valid stays.
    expect((await visit('open', long.id, long)).json).toMatchObject({ opensLeft: 0, sealed: long.sealed })
  })
})
