// Pins that are not complete: after a restart, beyond the limit, from origins that are not allowed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { add, multiaddrOf, passOn, type Status, serve, settings } from './pins.fixture.ts'

let origin: TestStorage
let originKey: string
beforeAll(async () => {
  origin = await startTestStorage()
  originKey = await origin.createKey()
})
afterAll(() => origin?.[Symbol.asyncDispose]())

test('pins with private origins are rejected unless the operator allows them', async () => {
  await using strict = await startTestStorage()
  const strictKey = await strict.createKey()
  const cid = await add(origin, originKey, { p: 'private' })
  const { port } = new URL(origin.gatewayUrl)
  const origins = [multiaddrOf(origin.gatewayUrl), `/dns4/localhost/tcp/${port}/http`]
  const sent = {
    ...jsonBody({ cid, origins }),
    headers: { ...bearer(strictKey).headers, 'content-type': 'application/json' },
  }
  const { requestid } = (await strict.call('/pins', sent)).json as Status
  const read = async () => (await strict.call(`/pins/${requestid}`, bearer(strictKey))).json as Status
  await expect.poll(async () => (await read()).status).toBe('failed')
  expect((await read()).info['status_details']).toMatch(
    /^ADDRESS_NOT_ALLOWED: 127\.0\.0\.1 is not on the public internet; localhost is not on the public internet/,
  )
})

test('unfinished pins are limited per account', async () => {
  await using small = await startTestStorage({ CAIRN_MAX_OPEN_PINS: '1', CAIRN_PIN_PRIVATE_ORIGINS: 'on' })
  const by = await small.createKey()
  await using silent = await serve(() => undefined)
  const send = (cid: string) => {
    const body = jsonBody({ cid, origins: [multiaddrOf(silent.url)] })
    return small.call('/pins', { ...body, headers: { ...body.headers, ...bearer(by).headers } })
  }
  expect((await send('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')).status).toBe(202)
  const refused = await send('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([403, 'PIN_LIMIT'])
})

test('pins are fetched again after a restart or the end of their replica', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-pins-'))
  const cid = await add(origin, originKey, { r: 'after a restart' })
  const asked = Promise.withResolvers<void>()
  let isSilent = true
  await using front = await serve((request, response) => {
    asked.resolve()
    if (isSilent) return
    fetch(new URL(request.url ?? '', origin.gatewayUrl))
      .then(passOn(response))
      .catch(() => response.destroy())
  })
  const own = { ...settings, CAIRN_HOME: home }
  try {
    await using first = await startTestStorage(own)
    const by = await first.createKey()
    const body = jsonBody({ cid, origins: [multiaddrOf(front.url)] })
    const sent = await first.call('/pins', { ...body, headers: { ...body.headers, ...bearer(by).headers } })
    const { requestid } = sent.json as Status
    await asked.promise
    await first[Symbol.asyncDispose]()
    isSilent = false
    const db = await openDatabase({ kind: 'sqlite', path: join(home, 'storage.sqlite') })
    expect(await db.read.selectFrom('pin').select(['status', 'owner', 'tries']).execute()).toEqual([
      { status: 'queued', owner: null, tries: 0 },
    ])
    // As a killed process leaves it.
    const killed = { status: 'pinning', owner: 'killed', owner_until: Date.now() + 3_600_000 } as const
    await db.write((trx) => trx.updateTable('pin').set(killed).execute())
    await db.close()
    await using second = await startTestStorage(own)
    const read = async () => ((await second.call(`/pins/${requestid}`, bearer(by))).json as Status).status
    await expect.poll(read).toBe('pinned')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
