// What the gateway sends is counted by day for the accounts that store it, on both databases.

import { CairnError } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { createEgress } from './egress.ts'

describeOnDatabases('sent bytes on %s', (newDatabase) => {
  let storage: TestStorage
  beforeAll(async () => {
    const place = await newDatabase()
    storage = await startTestStorage({ ...place, CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  async function upload(key: string, text: string): Promise<string> {
    const form = new FormData()
    form.append('file', new Blob([text]), 'a.txt')
    const { json } = await storage.call('/api/v0/add', { method: 'POST', body: form, ...bearer(key) })
    return (json as { Hash: string }).Hash
  }
  async function read(cid: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(`${storage.gatewayUrl}/ipfs/${cid}`, { headers })
    return (await response.arrayBuffer()).byteLength
  }
  async function findDays(key: string): Promise<{ day: string; bytes: number }[]> {
    await storage.context.egress.flush()
    const { json } = await storage.call('/api/user/egress', bearer(key))
    return (json as { days: { day: string; bytes: number }[] }).days
  }

  test('are those of whole, partial and repeated responses, for each account that stores the content', async () => {
    const [one, other] = [await storage.createKey(), await storage.createKey()]
    const text = 'x'.repeat(100_000)
    const cid = await upload(one, text)
    expect(await upload(other, text)).toBe(cid)
    const small = await upload(other, 'y'.repeat(50_000))
    expect(await findDays(one)).toEqual([])

    expect(await read(cid)).toBe(100_000)
    expect(await read(cid, { range: 'bytes=0-999' })).toBe(1000)
    // The second answer comes from the memory of the gateway.
    expect(await read(small)).toBe(50_000)
    expect(await read(small)).toBe(50_000)
    await expect.poll(async () => (await findDays(one))[0]?.bytes).toBeGreaterThan(101_000)
    await expect.poll(async () => (await findDays(other))[0]?.bytes).toBeGreaterThan(201_000)
    const [[ofOne], [ofOther]] = [await findDays(one), await findDays(other)]
    // Headers count too.
    expect(ofOne?.bytes).toBeLessThan(106_000)
    expect(ofOther?.bytes).toBeLessThan(212_000)
    expect(ofOne?.day).toBe(new Date(storage.context.clock.now()).toISOString().slice(0, 10))

    // Another day is another row, and old days are removed.
    storage.pass(86_400_000)
    expect(await read(cid)).toBe(100_000)
    await expect.poll(async () => (await findDays(one)).length).toBe(2)
    storage.pass(410 * 86_400_000)
    await storage.context.egress.flush()
    expect(await storage.context.db.read.selectFrom('egress').selectAll().execute()).toEqual([])
  })

  test('that could not be written are written by the next round', async () => {
    const key = await storage.createKey()
    await upload(key, 'z'.repeat(1000))
    const { db, clock } = storage.context
    const { root_multihash: root } = await db.read
      .selectFrom('upload')
      .select('root_multihash')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    let isDown = true
    const write: typeof db.write = (unit) => (isDown ? Promise.reject(new CairnError('UNAVAILABLE')) : db.write(unit))
    const egress = createEgress({ db: { ...db, write }, clock })
    egress.note(root, 700)
    await expect(egress.flush()).rejects.toThrow(CairnError)
    egress.note(root, 300)
    isDown = false
    await egress.flush()
    await egress.flush()
    const rows = await db.read.selectFrom('egress').select('bytes').where('root_multihash', '=', root).execute()
    expect(rows).toEqual([{ bytes: 1000 }])
  })
})
