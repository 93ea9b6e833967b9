// Pins are fetched, verified, replaced and removed.

import { describe, expect, test } from 'vitest'
import { bearer } from '../start-test-storage.fixture.ts'
import { add, describePins, multiaddrOf, passOn, type Status, serve } from './pins.fixture.ts'

describePins('on %s', (subject) => {
  describe('a pin', () => {
    test('is fetched from its origin in the background, verified, listed and counted', async () => {
      const { storage, origin, originKey, pin, until, usage, filesOf } = subject()
      const cid = await add(origin, originKey, { 'd/a': 'A'.repeat(700_000), 'd/b/c': 'C' })
      const requested = {
        cid,
        name: 'my folder',
        origins: ['/ip4/127.0.0.1/tcp/4001/p2p/12D3KooWNothing', multiaddrOf(origin.gatewayUrl)],
        meta: { app: 'test' },
      }
      const queued = await pin(requested)
      expect(queued).toMatchObject({
        status: 'queued',
        pin: requested,
        info: { status_details: 'Skipped 1 origins that are not HTTP gateways.' },
      })
      expect(queued.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(queued.delegates).toEqual([expect.stringMatching(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+\/http\/p2p\/12D3Koo/)])
      const pinned = await until(queued.requestid, 'pinned', 'failed')
      expect(pinned).toMatchObject({ status: 'pinned', created: queued.created, info: { raw_size: '700001' } })
      expect(Number(pinned.info['dag_size'])).toBeGreaterThan(700_001)
      const read = await fetch(`${storage.gatewayUrl}/ipfs/${cid}/b/c`)
      expect(await read.text()).toBe('C')
      expect(await usage()).toBe(700_001)
      expect(await filesOf()).toMatchObject([{ cid, fileName: 'my folder' }])
    })

    test('of stored content is pinned with the answer', async () => {
      const { storage, pin, usage } = subject()
      const cid = await add(storage, await storage.createKey(), { x: 'stored by another account' })
      const pinned = await pin({ cid })
      expect(pinned).toMatchObject({ status: 'pinned', pin: { cid }, info: { raw_size: '25' } })
      expect(await usage()).toBe(25)
    })

    test('of encrypted content is encrypted, too, for the same account and not for another', async () => {
      const { storage, call } = subject()
      const [owner, stranger] = [await storage.createKey(), await storage.createKey()]
      const body = new FormData()
      body.append('file', new Blob(['as good as encrypted']), 'diary')
      const { json } = await storage.call('/api/v0/add?encryption=true', { method: 'POST', ...bearer(owner), body })
      const [{ Hash: cid } = { Hash: '' }] = json as { Hash: string }[]
      for (const key of [owner, stranger]) {
        const answer = await call('/pins', 'POST', { cid, name: 'copy' }, key)
        expect(answer.json).toMatchObject({ status: 'pinned' })
      }
      const listed = async (key: string) =>
        (await call('/api/user/files_uploaded', 'GET', undefined, key)).json as { fileList: object[] }
      expect((await listed(owner)).fileList).toMatchObject([
        { fileName: 'copy', encryption: true },
        { fileName: 'diary', encryption: true },
      ])
      expect((await listed(stranger)).fileList).toMatchObject([{ fileName: 'copy', encryption: false }])
    })

    test('is fetched block by block from a gateway without CARs', async () => {
      const { origin, originKey, pin, until } = subject()
      const cid = await add(origin, originKey, { big: 'block by block '.repeat(60_000) })
      const asked: string[] = []
      await using front = await serve((request, response) => {
        const url = new URL(request.url ?? '', origin.gatewayUrl)
        const format = url.searchParams.get('format') ?? ''
        asked.push(format)
        if (format === 'car') return response.writeHead(406).end()
        return fetch(url, { headers: { accept: 'application/vnd.ipld.raw' } })
          .then(passOn(response))
          .catch(() => response.destroy())
      })
      const { requestid } = await pin({ cid, origins: [multiaddrOf(front.url)] })
      expect(await until(requestid, 'pinned', 'failed')).toMatchObject({
        status: 'pinned',
        info: { raw_size: '900000' },
      })
      expect(new Set(asked)).toEqual(new Set(['car', 'raw']))
      expect(asked.length).toBeGreaterThan(4)
    })

    test('fails with the reason, after all retries, if its origins are offline or lie', async () => {
      const { pin, untilFailed, usage, filesOf, call } = subject()
      await using gone = await serve(() => undefined)
      const { url } = gone
      await gone[Symbol.asyncDispose]()
      const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
      await using liar = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end('hello w0rld')
      })
      const { requestid } = await pin({ cid, origins: [multiaddrOf(url), multiaddrOf(liar.url)] })
      const { info } = await untilFailed(requestid)
      expect(info['status_details']).toContain(`The gateway ${new URL(url).host} could not be reached`)
      expect(info['status_details']).toContain(`The gateway ${new URL(liar.url).host} returned invalid data`)
      const alone = await untilFailed((await pin({ cid, origins: [multiaddrOf(url)] })).requestid)
      // The event says the same by a code and its values, for other languages.
      const events = (await call('/api/events?types=pin.failed')).json
      const { host } = new URL(url)
      expect(events).toMatchObject({
        events: [
          { data: { cid, reason: info['status_details'], reasonCode: 'PIN_SOURCES_FAILED', sources: 2 } },
          { data: { cid, reason: alone.info['status_details'], reasonCode: 'PIN_SOURCE_FAILED', host } },
        ],
      })
      expect(await usage()).toBe(0)
      expect(await filesOf()).toEqual([])
    })

    test('fails at once without a source, or if the account has too little storage', async () => {
      const { origin, originKey, pin, until, usage, call } = subject()
      const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
      const without = await until((await pin({ cid })).requestid, 'failed')
      expect(without.info['status_details']).toMatch(/no origin is an HTTP gateway, and the operator configured none/)
      const large = await add(origin, originKey, { big: new Uint8Array(3 * 1024 * 1024).fill(7) })
      const { requestid } = await pin({ cid: large, origins: [multiaddrOf(origin.gatewayUrl)] })
      expect((await until(requestid, 'failed')).info['status_details']).toMatch(/^QUOTA_EXCEEDED: /)
      expect((await call('/api/events?types=pin.failed')).json).toMatchObject({
        events: [
          { data: { cid, reason: without.info['status_details'], reasonCode: 'PIN_WITHOUT_SOURCE' } },
          { data: { cid: large, reasonCode: 'QUOTA_EXCEEDED' } },
        ],
      })
      expect(await usage()).toBe(0)
    })

    test('is deleted with its upload, and its upload with it', async () => {
      const { storage, call, pin, usage } = subject()
      const other = await storage.createKey()
      const cid = await add(storage, other, { x: 'to be removed again' })
      const first = await pin({ cid })
      const second = await pin({ cid })
      expect(await usage()).toBe(2 * 19)
      expect((await call(`/pins/${first.requestid}`, 'DELETE', undefined, other)).status).toBe(404)
      const removed = await call(`/pins/${first.requestid}`, 'DELETE')
      expect([removed.status, removed.json]).toEqual([202, undefined])
      expect((await call(`/pins/${first.requestid}`)).status).toBe(404)
      expect(await usage()).toBe(19)
      await call('/api/user/delete_file', 'DELETE', undefined)
      const [file] = (await call<{ fileList: { id: string }[] }>('/api/user/files_uploaded')).json.fileList
      await call(`/api/user/delete_file?id=${file?.id}`, 'DELETE')
      expect((await call(`/pins/${second.requestid}`)).status).toBe(404)
      expect(await usage()).toBe(0)
    })

    test('that replaces another keeps the stored content until the new one is complete', async () => {
      const { storage, origin, originKey, call, pin, until, usage, filesOf } = subject()
      const cid = await add(storage, await storage.createKey(), { x: 'the old content' })
      const old = await pin({ cid, name: 'old' })
      const next = await add(origin, originKey, { y: 'the new content!' })
      const asked = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      await using front = await serve((request, response) => {
        asked.resolve()
        go.promise
          .then(() => fetch(new URL(request.url ?? '', origin.gatewayUrl)))
          .then(passOn(response))
          .catch(() => response.destroy())
      })
      const body = { cid: next, origins: [multiaddrOf(front.url)] }
      const replaced = await call<Status>(`/pins/${old.requestid}`, 'POST', body)
      expect([replaced.status, replaced.json.status]).toEqual([202, 'queued'])
      expect(replaced.json.requestid).not.toBe(old.requestid)
      expect((await call(`/pins/${old.requestid}`)).status).toBe(404)
      expect((await call(`/pins/${old.requestid}`, 'POST', body)).status).toBe(404)
      await asked.promise
      expect(await filesOf()).toMatchObject([{ cid }])
      go.resolve()
      await until(replaced.json.requestid, 'pinned')
      expect(await filesOf()).toMatchObject([{ cid: next }])
      expect(await usage()).toBe(16)
    })

    test('that is removed while it is fetched leaves nothing', async () => {
      const { storage, origin, originKey, call, pin, get, usage, filesOf } = subject()
      const cid = await add(origin, originKey, { z: 'never stored' })
      const asked = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      await using front = await serve((request, response) => {
        asked.resolve()
        go.promise
          .then(() => fetch(new URL(request.url ?? '', origin.gatewayUrl)))
          .then(passOn(response))
          .then(() => answered.resolve())
          .catch(() => response.destroy())
      })
      const answered = Promise.withResolvers<void>()
      const { requestid } = await pin({ cid, origins: [multiaddrOf(front.url)] })
      await asked.promise
      expect(await get(requestid)).toMatchObject({ status: 'pinning' })
      expect((await call(`/pins/${requestid}`, 'DELETE')).status).toBe(202)
      go.resolve()
      await answered.promise
      const { db } = storage.context
      await expect.poll(() => db.read.selectFrom('reservation').selectAll().execute()).toEqual([])
      expect([await usage(), await filesOf()]).toEqual([0, []])
    })
  })
})
