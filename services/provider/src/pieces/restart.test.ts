import { existsSync } from 'node:fs'
import { type FileHandle, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  bytesOf,
  cidOf,
  randomNonce,
  startTestProvider,
  startTestSource,
  type TestSource,
} from '../test-provider.fixture.ts'

let source: TestSource
let home = ''
beforeEach(async () => {
  source = await startTestSource()
  home = await mkdtemp(join(tmpdir(), 'cairn-provider-'))
})
afterEach(async () => {
  await source[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

async function put(length: number, seed = length): Promise<{ cid: string; payload: Buffer; url: string }> {
  const payload = bytesOf(length, seed)
  return { cid: await cidOf(payload), payload, url: source.put(`/${seed}`, payload) }
}

test('a piece is on the disk, with its name, before it is kept', async () => {
  const { cid, url } = await put(300_000)
  await using provider = await startTestProvider(source.url, {}, { home })
  const payload = provider.context.files.payloadPath(cid)
  const handle = await open(home, 'r')
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const synced: string[] = []
  const original = prototype.sync
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    const stats = await this.stat()
    const isNamed = existsSync(payload)
    await original.call(this)
    const isFolder = isNamed && (await stat(dirname(payload))).ino === stats.ino
    synced.push(isFolder ? 'name' : stats.isFile() && stats.size === 300_000 && !isNamed ? 'bytes' : 'other')
  })
  try {
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
  } finally {
    spy.mockRestore()
  }
  expect(synced.filter((what) => what !== 'other')).toEqual(['bytes', 'name'])
})

describe('a restart', () => {
  test('resumes from the existing part of a piece', async () => {
    const { cid, payload, url } = await put(3_000_000)
    source.handlers.push((_request, response, body) => {
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.subarray(0, 2_000_000))
    })
    {
      await using first = await startTestProvider(source.url, {}, { home })
      await first.offer(cid, url)
      await first.untilReceived(cid, 1_000_000)
    }
    await using second = await startTestProvider(source.url, {}, { home })
    await second.until(cid, 'kept')
    expect(await readFile(second.context.files.payloadPath(cid))).toEqual(payload)
    expect(source.requests.at(-1)?.headers.range).toMatch(/^bytes=[1-9]/)
  })

  test('verifies existing bytes and fetches a part with wrong bytes again', async () => {
    const { cid, payload, url } = await put(400_000)
    const asked = Promise.withResolvers<void>()
    source.handlers.push(() => asked.resolve())
    {
      await using first = await startTestProvider(source.url, {}, { home })
      await first.offer(cid, url)
      await asked.promise
    }
    await writeFile(join(home, 'parts', cid), Buffer.alloc(300_000))
    await using second = await startTestProvider(source.url, {}, { home })
    await second.until(cid, 'kept')
    expect(await readFile(second.context.files.payloadPath(cid))).toEqual(payload)
  })

  test('needs no source if the payload is in place but has no row yet', async () => {
    const { cid, url } = await put(400_000)
    {
      await using first = await startTestProvider(source.url, {}, { home })
      await first.offer(cid, url)
      await first.until(cid, 'kept')
      const asBefore = { state: 'queued', kept_since: null } as const
      await first.context.db.write((trx) => trx.updateTable('piece').set(asBefore).where('cid', '=', cid).execute())
    }
    await using second = await startTestProvider(source.url, {}, { home })
    await second.until(cid, 'kept')
    expect(source.requests).toHaveLength(1)
  })

  test('removes parts without a row, and marks pieces whose bytes are missing or truncated', async () => {
    const pieces = await Promise.all([1, 2, 3].map((seed) => put(50_000, seed)))
    const [whole, gone, short] = pieces
    if (whole === undefined || gone === undefined || short === undefined) throw new Error('three pieces')
    const stray = await cidOf(bytesOf(10, 99))
    {
      await using first = await startTestProvider(source.url, {}, { home })
      for (const { cid, url } of pieces) await first.offer(cid, url)
      for (const { cid } of pieces) await first.until(cid, 'kept')
      await first.context.files.remove(gone.cid)
      await truncate(first.context.files.payloadPath(short.cid), 100)
      await writeFile(first.context.files.partPath(stray), 'x')
      await first.context.files.writeTree(stray, new Uint8Array(32))
    }
    await using second = await startTestProvider(source.url, {}, { home })
    expect((await second.call('GET', `/pieces/${whole.cid}`)).json).toMatchObject({ state: 'kept' })
    for (const { cid } of [gone, short]) {
      expect((await second.call('GET', `/pieces/${cid}`)).json).toMatchObject({
        state: 'damaged',
        lastError: { code: 'PIECE_DAMAGED' },
      })
      expect((await second.call('GET', `/pieces/${cid}/payload`)).code).toBe('PIECE_DAMAGED')
    }
    expect(await second.context.files.list()).not.toContain(stray)
    // Offered again, a damaged piece is complete again.
    for (const { cid, url } of [gone, short]) await second.offer(cid, url)
    for (const { cid, payload } of [gone, short]) {
      await second.until(cid, 'kept')
      expect((await second.call('GET', `/pieces/${cid}/payload`)).bytes).toEqual(payload)
    }
  })

  test('keeps pieces whose rows are missing, and reads them again first', async () => {
    const pieces = await Promise.all([1, 2, 3].map((seed) => put(50_000, seed)))
    const [whole, cut, changed] = pieces
    if (whole === undefined || cut === undefined || changed === undefined) throw new Error('three pieces')
    {
      await using first = await startTestProvider(source.url, {}, { home })
      for (const { cid, url } of pieces) await first.offer(cid, url)
      for (const { cid } of pieces) await first.until(cid, 'kept')
      await truncate(first.context.files.payloadPath(cut.cid), 100)
      await writeFile(first.context.files.payloadPath(changed.cid), Buffer.alloc(50_000))
    }
    for (const end of ['', '-wal', '-shm']) await rm(join(home, `provider.sqlite${end}`), { force: true })
    await using second = await startTestProvider(source.url, {}, { home })
    const { json } = await second.call('GET', '/')
    expect(json).toMatchObject({ pieces: { kept: 2, damaged: 0 }, usedBytes: 100_000 })
    expect((await second.call('GET', `/pieces/${whole.cid}`)).json).toMatchObject({ state: 'kept', checkedAt: 0 })
    expect((await second.call('GET', `/pieces/${whole.cid}/payload`)).bytes).toEqual(whole.payload)
    const challenge = { body: { nonce: randomNonce(), count: 3 } }
    expect((await second.call('POST', `/pieces/${whole.cid}/challenge`, challenge)).status).toBe(200)
    // Other bytes are found, and fetched again when the piece is offered.
    expect((await second.call('POST', `/pieces/${changed.cid}/challenge`, challenge)).code).toBe('PIECE_DAMAGED')
    expect(await second.context.files.list()).not.toContain(cut.cid)
    await second.offer(changed.cid, changed.url)
    await second.until(changed.cid, 'kept')
    expect((await second.call('DELETE', `/pieces/${whole.cid}`)).json).toMatchObject({ removed: true })
  })

  test('keeps a piece that was stored after the database was backed up', async () => {
    const { cid, payload, url } = await put(50_000)
    {
      await using first = await startTestProvider(source.url, {}, { home })
      await first.offer(cid, url)
      await first.until(cid, 'kept')
      const asBefore = { state: 'failed', kept_since: null, error_code: 'UPSTREAM_FAILED', error_message: 'x' } as const
      await first.context.db.write((trx) => trx.updateTable('piece').set(asBefore).where('cid', '=', cid).execute())
    }
    await using second = await startTestProvider(source.url, {}, { home })
    expect((await second.call('GET', `/pieces/${cid}`)).json).toMatchObject({ state: 'kept', lastError: null })
    expect((await second.call('GET', `/pieces/${cid}/payload`)).bytes).toEqual(payload)
  })
})
