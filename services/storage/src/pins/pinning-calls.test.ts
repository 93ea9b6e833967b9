// The calls of the Pinning Service API: lists with their filters, and errors.

import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { describe, expect, test } from 'vitest'
import { type Answer, add, describePins, type Status } from './pins.fixture.ts'

describePins('on %s', (subject) => {
  describe('a list', () => {
    test('starts with the newest, and is filtered by state, name, CID, meta and time', async () => {
      const { storage, call, pin, until } = subject()
      const other = await storage.createKey()
      const cids = await Promise.all(['one', 'two'].map((text) => add(storage, other, { f: text })))
      const pins: Status[] = []
      for (let i = 0; i < 12; i++) {
        pins.push(
          await pin({ cid: cids[i % 2], name: `Pin Ü${i}`, meta: { number: String(i), even: String(i % 2 === 0) } }),
        )
      }
      const nowhere = await pin({
        cid: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
        name: '100%_[x]',
      })
      await until(nowhere.requestid, 'failed')
      expect(new Set(pins.map(({ created }) => created)).size).toBe(12)
      const list = async (query: Record<string, string>) => {
        const { status, json } = await call<{ count: number; results: Status[] }>(`/pins?${new URLSearchParams(query)}`)
        expect(status).toBe(200)
        return { count: json.count, names: json.results.map((row) => row.pin.name) }
      }
      const names = (...numbers: number[]) => numbers.map((number) => `Pin Ü${number}`)
      expect(await list({})).toEqual({ count: 12, names: names(11, 10, 9, 8, 7, 6, 5, 4, 3, 2) })
      expect(await list({ before: pins[2]?.created ?? '' })).toEqual({ count: 2, names: names(1, 0) })
      expect(await list({ after: pins[9]?.created ?? '', limit: '1' })).toEqual({ count: 2, names: names(11) })
      expect(await list({ name: 'Pin Ü3' })).toEqual({ count: 1, names: names(3) })
      expect(await list({ name: 'PIN ü3' })).toEqual({ count: 0, names: [] })
      expect(await list({ name: 'PIN ü3', match: 'iexact' })).toEqual({ count: 1, names: names(3) })
      expect(await list({ name: 'n Ü1', match: 'partial' })).toEqual({ count: 3, names: names(11, 10, 1) })
      expect(await list({ name: 'N ü1', match: 'ipartial' })).toEqual({ count: 3, names: names(11, 10, 1) })
      expect(await list({ name: '%_[', match: 'partial' })).toEqual({ count: 1, names: ['100%_[x]'] })
      expect(await list({ status: 'failed,queued' })).toEqual({ count: 1, names: ['100%_[x]'] })
      expect((await list({ cid: cids[0] ?? '', limit: '1000' })).count).toBe(6)
      expect((await list({ cid: cids.join(','), status: 'pinned' })).count).toBe(12)
      expect(await list({ meta: '{"number":"7","even":"false"}' })).toEqual({ count: 1, names: names(7) })
      expect((await list({ meta: '{"even":"true"}' })).count).toBe(6)
      expect(await list({ meta: '{"a\'b\\"c":"x"}' })).toEqual({ count: 0, names: [] })
      const several = await call<{ count: number }>(`/pins?cid=${cids[0]}&cid=${cids[1]}&status=pinned&status=failed`)
      expect(several.json.count).toBe(12)
    })
  })

  describe('errors', () => {
    test('for content that cannot be stored are returned before a pin is recorded', async () => {
      const { call } = subject()
      const unsafe = CID.createV1(0x55, create(0x22, new Uint8Array(8)))
      const cut = CID.createV1(0x55, create(0x12, new Uint8Array(19)))
      const key = CID.createV1(0x72, create(0x12, new Uint8Array(32)))
      const kept = await call<Status>('/pins', 'POST', { cid: 'bafkqaaa' })
      const before = (await call<{ count: number }>('/pins?status=queued,pinning,pinned,failed')).json.count
      for (const [cid, details] of [
        [unsafe, /^Hash function murmur3-x64-64 \(0x22\) is not supported\n/],
        [cut, /^A digest of sha2-256 has 19 bytes, expected 20 to 32\n/],
        [key, /^Codec 0x72 is not supported\n/],
      ] as const) {
        for (const path of ['/pins', `/pins/${kept.json.requestid}`]) {
          const { status, json } = await call(path, 'POST', { cid: `${cid}` })
          const error = { reason: 'UNSUPPORTED_CODEC', details: expect.stringMatching(details) }
          expect([path, status, json]).toEqual([path, 400, { error }])
        }
        const now = await call('/api/lighthouse/pin', 'POST', { cid: `${cid}` })
        expect([now.status, now.headers.get('x-cairn-code')]).toEqual([400, 'UNSUPPORTED_CODEC'])
      }
      expect((await call<{ count: number }>('/pins?status=queued,pinning,pinned,failed')).json.count).toBe(before)
      expect((await call(`/pins/${kept.json.requestid}`)).status).toBe(200)
    })

    test('of another account end in no replacement of the pin', async () => {
      const { storage, call, pin } = subject()
      const { requestid } = await pin({ cid: 'bafkqaaa' })
      const other = await storage.createKey()
      const { status, json } = await call(`/pins/${requestid}`, 'POST', { cid: 'bafkqaaa' }, other)
      expect([status, json]).toMatchObject([404, { error: { reason: 'PIN_NOT_FOUND' } }])
      expect((await call(`/pins/${requestid}`)).status).toBe(200)
    })

    test('have a reason and details', async () => {
      const { call } = subject()
      const wrong: [Promise<Answer<unknown>>, number, string][] = [
        [call('/pins', 'POST', { cid: 'nonsense!' }), 400, 'INVALID_CID'],
        [call('/pins', 'POST', { cid: 'bafkrei123' }), 400, 'INVALID_CID'],
        [call('/pins', 'POST', {}), 400, 'INVALID_REQUEST'],
        [call('/pins', 'POST', { cid: 'bafkqaaa', name: '../x' }), 400, 'INVALID_PATH'],
        [call('/pins', 'POST', { cid: 'bafkqaaa', meta: { a: 1 } }), 400, 'INVALID_REQUEST'],
        [call('/pins?limit=0'), 400, 'INVALID_REQUEST'],
        [call('/pins?limit=1001'), 400, 'INVALID_REQUEST'],
        [call('/pins?status=done'), 400, 'INVALID_REQUEST'],
        [call('/pins?before=yesterday'), 400, 'INVALID_REQUEST'],
        [call('/pins?meta=%7B'), 400, 'INVALID_REQUEST'],
        [call('/pins', 'GET', undefined, 'wrong'), 401, 'UNAUTHENTICATED'],
        [call('/pins/018f0000-0000-7000-8000-000000000000'), 404, 'PIN_NOT_FOUND'],
        [call('/pins/018f0000-0000-7000-8000-000000000000', 'DELETE'), 404, 'PIN_NOT_FOUND'],
      ]
      for (const [answer, status, reason] of wrong) {
        const { json, ...rest } = await answer
        expect([rest.status, json]).toEqual([status, { error: { reason, details: expect.stringMatching(/.\n./) } }])
      }
    })
  })
})
