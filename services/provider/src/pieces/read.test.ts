import { existsSync } from 'node:fs'
import { open, readdir, readFile, readlink, rm, truncate, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { verifyChallenge } from '@cairn/pieces'
import type { ChallengeAnswer } from '@cairn/protocol'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  bytesOf,
  cidOf,
  randomNonce,
  startTestProvider,
  startTestSource,
  type TestProvider,
  type TestSource,
} from '../test-provider.fixture.ts'
import { windowBytes } from './read-payload.ts'
import { scrubNext } from './scrub.ts'
import { recordDamage } from './store.ts'

let source: TestSource
let provider: TestProvider
beforeAll(async () => {
  source = await startTestSource()
  provider = await startTestProvider(source.url, { CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND: String(1024 ** 3) })
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await source[Symbol.asyncDispose]()
})

let seed = 1
async function keep(length: number) {
  const payload = bytesOf(length, seed++)
  const cid = await cidOf(payload)
  const url = source.put(`/${cid}`, payload)
  await provider.offer(cid, url)
  await provider.until(cid, 'kept')
  return { cid, payload, url, path: provider.context.files.payloadPath(cid) }
}

async function flipBit(path: string, offset: number): Promise<void> {
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, offset)
  byte[0] = (byte[0] ?? 0) ^ 0x10
  await file.write(byte, 0, 1, offset)
  await file.close()
}

async function challenge(cid: string, count = 5, nonce = randomNonce()) {
  const { status, code, json } = await provider.call('POST', `/pieces/${cid}/challenge`, {
    body: { nonce, count },
    key: null,
  })
  const verify = () =>
    verifyChallenge(json as ChallengeAnswer, { piece: cid, nonce, count, provider: provider.context.id })
  return { status, code, verify }
}

const read = (cid: string, headers: Record<string, string> = {}, method = 'GET') =>
  provider.call(method, `/pieces/${cid}/payload`, { headers, key: null })

describe('a challenge', () => {
  test.each([1, 300, 32_512, 32_513, windowBytes + 1, 2_500_000])(
    'to a piece of %i bytes is answered',
    async (length) => {
      const { cid } = await keep(length)
      for (const count of [1, 5, 64]) {
        const answer = await challenge(cid, count)
        expect(answer.status).toBe(200)
        answer.verify()
      }
      expect((await provider.call('GET', `/pieces/${cid}`)).json).toMatchObject({ lastReadAt: expect.any(Number) })
    },
  )

  test.each([
    { nonce: 'aa', count: 1 },
    { nonce: 'AA'.repeat(32), count: 1 },
    { nonce: 'aa'.repeat(32), count: 0 },
    { nonce: 'aa'.repeat(32), count: 65 },
    { nonce: 'aa'.repeat(32), count: 1.5 },
    { nonce: 'aa'.repeat(32) },
  ])('such as %j is rejected', async (body) => {
    const { cid } = await keep(10)
    expect((await provider.call('POST', `/pieces/${cid}/challenge`, { body })).code).toBe('INVALID_REQUEST')
  })

  test('to a piece with one changed bit detects it, or proves the requested leaves', async () => {
    const { cid, path } = await keep(200_000)
    await flipBit(path, 150_000)
    for (;;) {
      const answer = await challenge(cid, 3)
      if (answer.status === 200) {
        answer.verify()
        continue
      }
      expect([answer.status, answer.code]).toEqual([500, 'PIECE_DAMAGED'])
      break
    }
    expect(await provider.until(cid, 'damaged')).toMatchObject({ lastError: { code: 'PIECE_DAMAGED' } })
    expect((await challenge(cid)).code).toBe('PIECE_DAMAGED')
  })

  test('to a piece that was fetched again meanwhile does not mark it as damaged', async () => {
    const { cid } = await keep(100)
    const { db } = provider.context
    const row = await db.read.selectFrom('piece').selectAll().where('cid', '=', cid).executeTakeFirstOrThrow()
    const record = (keptSince: number) =>
      db.write((trx) => recordDamage(trx, { ...row, kept_since: keptSince }, 'read before'))
    const keptSince = row.kept_since ?? 0
    expect([await record(keptSince - 1), await record(keptSince)]).toEqual([false, true])
  })

  test.each([
    ['cut', (path: string) => truncate(path, 10)],
    ['gone', (path: string) => rm(path)],
  ])('to a piece whose payload is %s reports the loss', async (_what, harm) => {
    const { cid, path } = await keep(100_000)
    await harm(path)
    expect((await challenge(cid, 64)).code).toBe('PIECE_DAMAGED')
    await provider.until(cid, 'damaged')
  })
})

describe('a tree', () => {
  const treeOf = (path: string) => path.replace(/payload$/, 'tree')

  test.each([
    ['lost', (path: string) => rm(path)],
    ['empty', (path: string) => truncate(path, 0)],
    ['cut', (path: string) => truncate(path, 60)],
    ['changed in its nodes', (path: string) => flipBit(path, 100)],
    ['changed in its head', (path: string) => flipBit(path, 3)],
    ['of another piece', async (path: string) => writeFile(path, await readFile(treeOf((await keep(90_000)).path)))],
  ])('that is %s is rebuilt from the payload', async (_what, harm) => {
    const { cid, path } = await keep(120_000)
    const before = await readFile(treeOf(path))
    await harm(treeOf(path))
    const answers = await Promise.all([challenge(cid), challenge(cid), challenge(cid)])
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      answer.verify()
    }
    expect(await readFile(treeOf(path))).toEqual(before)
  })

  test('that is lost together with a bit of the payload is reported as damage', async () => {
    const { cid, path } = await keep(120_000)
    await rm(treeOf(path))
    await flipBit(path, 5)
    expect((await challenge(cid)).code).toBe('PIECE_DAMAGED')
  })
})

describe('a payload', () => {
  const length = 2 * windowBytes + 70_000
  let piece: Awaited<ReturnType<typeof keep>>
  beforeAll(async () => {
    piece = await keep(length)
  })

  test('is served whole, as a download that no browser runs', async () => {
    const { status, headers, bytes } = await read(piece.cid)
    expect(status).toBe(200)
    expect(bytes.equals(piece.payload)).toBe(true)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': String(length),
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${piece.cid}"`,
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${piece.cid}"`,
    })
  })

  test('is served in any range', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(length - 1), fc.integer({ min: 1, max: length }), async (start, count) => {
        const end = Math.min(start + count, length)
        const { status, headers, bytes } = await read(piece.cid, { range: `bytes=${start}-${start + count - 1}` })
        expect(status).toBe(206)
        expect(headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${length}`)
        expect(bytes.equals(piece.payload.subarray(start, end))).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ['bytes=0-0', 206, 1],
    ['bytes=-5', 206, 5],
    [`bytes=${length - 3}-`, 206, 3],
    ['bytes=-99999999999', 206, length],
    [`bytes=${length}-`, 416, 0],
    ['bytes=-0', 416, 0],
    ['bytes=5-2', 200, length],
    ['bytes=0-1,3-4', 200, length],
    ['items=0-1', 200, length],
    ['bytes=', 200, length],
  ])('asked for %s answers %i', async (range, status, count) => {
    const answer = await read(piece.cid, { range })
    expect(answer.status).toBe(status)
    if (status === 416) {
      expect(answer.code).toBe('INVALID_RANGE')
      expect(answer.headers.get('content-range')).toBe(`bytes */${length}`)
    } else expect(answer.bytes).toHaveLength(count)
  })

  test('answers HEAD with the headers of GET, and reads nothing', async () => {
    const { status, headers, bytes } = await read(piece.cid, {}, 'HEAD')
    expect([status, bytes.length, headers.get('content-length')]).toEqual([200, 0, String(length)])
    const part = await read(piece.cid, { range: 'bytes=10-19' }, 'HEAD')
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '10'])
  })

  test('is not sent to a client that has it, and a range counts only for the same bytes', async () => {
    const tag = `"${piece.cid}"`
    for (const known of [tag, `W/${tag}`, '*', `"other", ${tag}`]) {
      expect((await read(piece.cid, { 'if-none-match': known })).status).toBe(304)
    }
    expect((await read(piece.cid, { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await read(piece.cid, { range: 'bytes=0-9', 'if-range': tag })).status).toBe(206)
    expect((await read(piece.cid, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200)
  })

  test('that is damaged at its start is an error', async () => {
    const { cid, path } = await keep(100_000)
    await flipBit(path, 100)
    const { status, code, headers } = await read(cid)
    expect([status, code]).toEqual([500, 'PIECE_DAMAGED'])
    expect(headers.get('content-disposition')).toBeNull()
    await provider.until(cid, 'damaged')
  })

  test('that is damaged further on ends before the wrong bytes', async () => {
    const { cid, path, payload } = await keep(4 * windowBytes)
    await flipBit(path, 3 * windowBytes + 100)
    const got: Buffer[] = []
    const ended = await new Promise<string>((resolve) => {
      request(`${provider.url}/pieces/${cid}/payload`, (response) => {
        response.on('data', (chunk: Buffer) => got.push(chunk))
        response.on('end', () => resolve('whole'))
        response.on('error', () => resolve('broken off'))
      }).end()
    })
    expect(ended).toBe('broken off')
    const received = Buffer.concat(got)
    expect(received.length).toBeLessThanOrEqual(3 * windowBytes)
    expect(received.equals(payload.subarray(0, received.length))).toBe(true)
    await provider.until(cid, 'damaged')
  })

  test('stays readable to its end for an open request, even if it is removed meanwhile', async () => {
    const { cid, payload } = await keep(6 * windowBytes)
    const response = await fetch(`${provider.url}/pieces/${cid}/payload`)
    await provider.call('DELETE', `/pieces/${cid}`)
    expect(Buffer.from(await response.arrayBuffer()).equals(payload)).toBe(true)
  })

  test.runIf(existsSync('/proc/self/fd'))('leaves no file open behind readers that go away', async () => {
    const { cid } = await keep(6 * windowBytes)
    const openFiles = async () => {
      const names = await readdir('/proc/self/fd')
      // A descriptor may be closed in between.
      const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
      return targets.filter((target) => target.includes(cid)).length
    }
    const stop = new AbortController()
    const url = `${provider.url}/pieces/${cid}/payload`
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetch(url, { signal: stop.signal })))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    stop.abort()
    while ((await openFiles()) > 0) await new Promise((resolve) => setImmediate(resolve))
  })
})

describe('the scrub', () => {
  beforeEach(async () => {
    const { json } = await provider.call('GET', '/pieces?limit=1000')
    const { pieces } = json as { pieces: { piece: string }[] }
    for (const { piece } of pieces) await provider.call('DELETE', `/pieces/${piece}`)
  })

  const scrubAll = async (before: number) => {
    const found: string[] = []
    for (;;) {
      const cid = await scrubNext(provider.context, before, new AbortController().signal)
      if (cid === undefined) return found
      found.push(cid)
    }
  }

  test('reads each piece whole and finds damage that no request has reached', async () => {
    const whole = await keep(2_000_000)
    const harmed = await keep(3 * windowBytes)
    await flipBit(harmed.path, 2 * windowBytes + 17)
    // Both were checked before this time.
    const before = Date.now() + 1
    await provider.context.db.write((trx) => trx.updateTable('piece').set({ checked_at: 1 }).execute())
    expect((await scrubAll(before - 1)).sort()).toEqual([whole.cid, harmed.cid].sort())
    expect((await provider.call('GET', `/pieces/${harmed.cid}`)).json).toMatchObject({ state: 'damaged' })
    expect((await provider.call('GET', `/pieces/${whole.cid}`)).json).toMatchObject({ state: 'kept' })
    expect(await scrubAll(2)).toEqual([])
    expect(await provider.metrics()).toMatch(/cairn_provider_damaged_pieces_total [1-9]/)
  })

  test('reads a piece again that was read while the clock was ahead', async () => {
    const { cid } = await keep(100_000)
    const { db } = provider.context
    await db.write((trx) =>
      trx
        .updateTable('piece')
        .set({ checked_at: Date.now() + 86_400_000 })
        .execute(),
    )
    expect(await scrubAll(2)).toEqual([cid])
    expect(await scrubAll(2)).toEqual([])
  })

  test('stops at a damaged piece that cannot be recorded', async () => {
    const { cid, path } = await keep(100_000)
    await flipBit(path, 50_000)
    const { db } = provider.context
    await db.write((trx) => trx.updateTable('piece').set({ checked_at: 1 }).execute())
    const change = (statement: string) => db.write((trx) => sql.raw(statement).execute(trx))
    await change("create trigger refuse before update on piece begin select raise(abort, 'the disk is full'); end")
    const scrubbed = scrubNext(provider.context, 2, new AbortController().signal)
    const recovered = scrubbed.finally(() => change('drop trigger refuse'))
    await expect(recovered).rejects.toMatchObject({ code: 'PIECE_DAMAGED' })
    expect(await scrubAll(2)).toEqual([cid])
    expect((await provider.call('GET', `/pieces/${cid}`)).json).toMatchObject({ state: 'damaged' })
  })

  test('repairs a piece when it is offered again', async () => {
    const { cid, path, url, payload } = await keep(100_000)
    await flipBit(path, 50_000)
    await provider.context.db.write((trx) => trx.updateTable('piece').set({ checked_at: 1 }).execute())
    await scrubAll(2)
    expect((await provider.call('GET', `/pieces/${cid}`)).json).toMatchObject({ state: 'damaged' })
    await provider.offer(cid, url)
    expect(await provider.until(cid, 'kept')).toMatchObject({ lastError: null })
    expect((await read(cid)).bytes.equals(payload)).toBe(true)
  })
})
