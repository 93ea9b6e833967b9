import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  bytesOf,
  cidOf,
  cutAfter,
  quickPulls,
  startTestProvider,
  startTestSource,
  type TestProvider,
  type TestSource,
} from '../test-provider.fixture.ts'

let source: TestSource
let provider: TestProvider
beforeEach(async () => {
  source = await startTestSource()
  provider = await startTestProvider(source.url)
})
afterEach(async () => {
  await provider[Symbol.asyncDispose]()
  await source[Symbol.asyncDispose]()
})

async function put(length: number, seed = length): Promise<{ cid: string; payload: Buffer; url: string }> {
  const payload = bytesOf(length, seed)
  return { cid: await cidOf(payload), payload, url: source.put(`/${seed}`, payload) }
}

/** The largest is written past the page cache. */
const sizes = [1, 127, 128, 20_000, 32_512, 32_513, 1_040_384, 1_040_385, 3_000_000, 17_000_000]

test.each(sizes)('fetches, verifies and keeps a piece of %i bytes', async (length) => {
  const { cid, payload, url } = await put(length)
  const { status, json } = await provider.offer(cid, url)
  expect(status).toBe(202)
  expect(json).toMatchObject({ piece: cid, payloadBytes: length, lastError: null })
  const kept = await provider.until(cid, 'kept')
  expect(kept).toMatchObject({ receivedBytes: length, keptSince: expect.any(Number), checkedAt: expect.any(Number) })
  expect((await readFile(provider.context.files.payloadPath(cid))).equals(payload)).toBe(true)
  expect(await readdir(join(provider.home, 'parts'))).toEqual([])
})

test('sends the credentials to the source, and seals them in the database', async () => {
  const { cid, url } = await put(5000)
  const secret = 'Bearer very-secret-token'
  source.handlers.push((_request, response) => response.writeHead(503).end())
  await provider.offer(cid, url, secret)
  await provider.until(cid, 'kept')
  expect(source.requests.map(({ headers }) => headers.authorization)).toEqual([secret, secret])
  const files = await readdir(provider.home)
  for (const name of files.filter((one) => one.startsWith('provider.sqlite'))) {
    expect((await readFile(join(provider.home, name))).includes('very-secret-token')).toBe(false)
  }
})

test('is busy when it is out of file descriptors, and a new offer continues', async () => {
  const pullTimes = { ...quickPulls, firstPauseMs: 600_000, maxPauseMs: 600_000 }
  await using late = await startTestProvider(source.url, {}, { pullTimes })
  const { cid, url } = await put(5000)
  const { files } = late.context
  const { moveBackToPart } = files
  files.moveBackToPart = async () => {
    files.moveBackToPart = moveBackToPart
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  }
  await late.offer(cid, url)
  let waiting = await late.until(cid, 'queued')
  while (waiting.lastError === null) waiting = await late.until(cid, 'queued')
  expect(waiting.lastError).toMatchObject({ code: 'OVERLOADED' })
  await late.offer(cid, url)
  await late.until(cid, 'kept')
})

describe('a source that disconnects', () => {
  test('is retried although the clock was set back by an hour', async () => {
    let behindMs = 0
    const clock = { now: () => Date.now() - behindMs }
    const pullTimes = { ...quickPulls, firstPauseMs: 600_000, maxPauseMs: 600_000 }
    await using late = await startTestProvider(source.url, {}, { clock, pullTimes })
    const [waiting, other] = [await put(5000), await put(6000)]
    source.handlers.push((_request, response) => response.writeHead(503).end())
    await late.offer(waiting.cid, waiting.url)
    while ((await late.until(waiting.cid, 'queued')).lastError === null) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    behindMs = 3_600_000
    // An offer makes the provider check what is due.
    await late.offer(other.cid, other.url)
    await late.until(other.cid, 'kept')
    await late.until(waiting.cid, 'kept')
  })

  // From 16 MiB on, what is missing is written past the page cache: of the larger one, each time.
  test.each([3_000_000, 22_000_000])('receives a request for the rest of %i bytes', async (length) => {
    const { cid, payload, url } = await put(length)
    source.handlers.push(cutAfter(length * 0.13), cutAfter(length * 0.07))
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    expect((await readFile(provider.context.files.payloadPath(cid))).equals(payload)).toBe(true)
    const starts = source.requests.map(({ headers }) => Number(/\d+/.exec(headers.range ?? '0')?.[0]))
    expect(starts).toHaveLength(3)
    // The last bytes before a cut may be missing, but no received byte is sent again.
    expect(starts[0]).toBe(0)
    expect(starts[1]).toBeGreaterThan(0)
    expect(starts[2]).toBeGreaterThan(starts[1] ?? 0)
  })

  test('and ignores ranges sends everything, and the provider drops the bytes that it has', async () => {
    const { cid, payload, url } = await put(2_000_000)
    source.handlers.push(cutAfter(1_500_000), (_request, response, body) => response.writeHead(200).end(body))
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    expect((await readFile(provider.context.files.payloadPath(cid))).equals(payload)).toBe(true)
  })

  test('and sent a wrong first part is read once more from the start', async () => {
    const { cid, payload, url } = await put(2_000_000)
    source.handlers.push((_request, response, body) => {
      response.writeHead(200, { 'content-length': body.length })
      response.write(Buffer.alloc(1_000_000, 7), () => response.destroy())
    })
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    expect((await readFile(provider.context.files.payloadPath(cid))).equals(payload)).toBe(true)
  })

  test('and ends its response as if it were complete receives a request for the rest', async () => {
    const { cid, payload, url } = await put(2_000_000)
    source.handlers.push((_request, response, body) => response.writeHead(200).end(body.subarray(0, 1_500_000)))
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    expect((await readFile(provider.context.files.payloadPath(cid))).equals(payload)).toBe(true)
  })

  test('is not retried once its offer is a week old', async () => {
    const weekMs = 7 * 24 * 3_600_000
    let passedMs = 0
    const clock = { now: () => Date.now() + passedMs }
    await using late = await startTestProvider(source.url, {}, { clock })
    const { cid, url } = await put(5000)
    for (const afterMs of [weekMs - 600_000, weekMs + 1]) {
      source.handlers.push((_request, response) => {
        passedMs = afterMs
        response.writeHead(503).end()
      })
    }
    await late.offer(cid, url)
    await late.until(cid, 'failed')
    expect(source.requests).toHaveLength(2)
  })

  test('and stalls is abandoned after a time limit', async () => {
    await provider[Symbol.asyncDispose]()
    provider = await startTestProvider(source.url, {}, { pullTimes: { ...quickPulls, windowMs: 100 } })
    const { cid, url } = await put(500_000)
    source.handlers.push((_request, response, body) => {
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.subarray(0, 10))
    })
    // A source that never answers.
    source.handlers.push(() => undefined)
    await provider.offer(cid, url)
    await provider.until(cid, 'kept')
    expect(source.requests.length).toBeGreaterThanOrEqual(3)
  })

  test('permanently fails in the end, with the reason and without any bytes left', async () => {
    const { cid, url } = await put(500_000)
    for (let count = 0; count < 20; count++) source.handlers.push((_request, response) => response.writeHead(500).end())
    await provider.offer(cid, url)
    const failed = await provider.until(cid, 'failed')
    expect(failed).toMatchObject({
      receivedBytes: 0,
      keptSince: null,
      lastError: { code: 'UPSTREAM_FAILED', message: 'The source returned status 500' },
    })
    expect(await readdir(join(provider.home, 'parts'))).toEqual([])
    // Offered again, it is fetched.
    source.handlers.length = 0
    await provider.offer(cid, url)
    expect(await provider.until(cid, 'kept')).toMatchObject({ lastError: null })
  })
})

describe('the provider keeps no other bytes:', () => {
  const failWith = async (code: string, cid: string) => {
    expect(await provider.until(cid, 'failed')).toMatchObject({ lastError: { code } })
    expect(source.requests).toHaveLength(1)
    expect(await readdir(join(provider.home, 'parts'))).toEqual([])
    await expect(access(provider.context.files.payloadPath(cid))).rejects.toThrow()
    expect((await provider.call('GET', `/pieces/${cid}/payload`)).code).toBe('PIECE_NOT_FOUND')
    expect((await provider.call('GET', '/')).json).toMatchObject({ usedBytes: 0, pieces: { failed: 1 } })
  }

  test('one flipped bit', async () => {
    const { cid, payload } = await put(100_000)
    payload[70_000] = (payload[70_000] ?? 0) ^ 1
    await provider.offer(cid, source.put('/flipped', payload))
    await failWith('VERIFICATION_FAILED', cid)
  })

  test.each([
    ['too short', (body: Buffer) => body.subarray(1)],
    ['too long', (body: Buffer) => Buffer.concat([body, Buffer.alloc(1)])],
  ])('a payload that is %s', async (_what, change) => {
    const { cid, payload } = await put(100_000)
    await provider.offer(cid, source.put('/length', change(payload)))
    await failWith('UNEXPECTED_RESPONSE', cid)
  })

  test('an oversized payload without a declared size', async () => {
    const { cid, url } = await put(100_000)
    source.handlers.push((_request, response, body) => {
      response.writeHead(200)
      response.write(body)
      response.end('!')
    })
    await provider.offer(cid, url)
    await failWith('UNEXPECTED_RESPONSE', cid)
  })

  test('a missing payload', async () => {
    const { cid } = await put(100_000)
    await provider.offer(cid, `${source.url}/nowhere`)
    await failWith('HTTP_ERROR', cid)
  })

  test('a redirect, which it does not follow', async () => {
    const { cid, url } = await put(100_000)
    const elsewhere = source.put('/elsewhere', Buffer.alloc(10))
    source.handlers.push((_request, response) => response.writeHead(302, { location: elsewhere }).end())
    await provider.offer(cid, url)
    await failWith('HTTP_ERROR', cid)
  })

  test('an encoded payload', async () => {
    const { cid, url } = await put(100_000)
    source.handlers.push((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'))
    await provider.offer(cid, url)
    await failWith('UNEXPECTED_RESPONSE', cid)
  })
})

test('two concurrent offers cause one fetch', async () => {
  const { cid, url } = await put(1_000_000)
  const answers = await Promise.all([provider.offer(cid, url), provider.offer(cid.toLowerCase(), url)])
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  await provider.until(cid, 'kept')
  await provider.offer(cid, url)
  expect(await provider.until(cid, 'kept')).toMatchObject({ state: 'kept' })
  expect(source.requests).toHaveLength(1)
  expect((await provider.call('GET', '/')).json).toMatchObject({ usedBytes: 1_000_000, pieces: { kept: 1 } })
})

test('a piece offered again with new credentials does not fail because of the old ones', async () => {
  const { cid, url } = await put(1_000_000)
  const refuse = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  source.handlers.push(async (_request, response) => {
    asked.resolve()
    await refuse.promise
    response.writeHead(401).end()
  })
  await provider.offer(cid, url, 'Bearer old')
  await asked.promise
  await provider.offer(cid, url, 'Bearer new')
  refuse.resolve()
  await provider.until(cid, 'kept')
  expect(source.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
})

test('a failed hash thread costs one more attempt, and no piece', async () => {
  const { cid, payload, url } = await put(6_000_000)
  const goOn = Promise.withResolvers<void>()
  source.handlers.push(async (_request, response, body) => {
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.subarray(0, 1_000_000))
    await goOn.promise
    response.end(body.subarray(1_000_000))
  })
  await provider.offer(cid, url)
  await provider.untilReceived(cid, 500_000)
  // Ends the thread; the next request starts another.
  await provider.context.hashes[Symbol.asyncDispose]()
  goOn.resolve()
  await provider.until(cid, 'kept')
  expect((await provider.call('GET', `/pieces/${cid}/payload`)).bytes.equals(payload)).toBe(true)
  expect(source.requests).toHaveLength(2)
})

test('metrics report pulls, pieces and bytes', async () => {
  const { cid, url } = await put(50_000)
  await provider.offer(cid, url)
  await provider.until(cid, 'kept')
  await provider.call('POST', `/pieces/${cid}/challenge`, { body: { nonce: '00'.repeat(32), count: 3 } })
  await provider.call('GET', `/pieces/${cid}/payload`)
  const figures = await provider.metrics()
  for (const line of [
    'cairn_provider_pieces{state="kept"} 1',
    'cairn_provider_used_bytes 50000',
    'cairn_provider_pulled_bytes_total 50000',
    'cairn_provider_served_bytes_total 50000',
    'cairn_provider_pulls_total{result="kept"} 1',
    'cairn_provider_challenges_total{result="proven"} 1',
    'cairn_provider_damaged_pieces_total 0',
  ]) {
    expect(figures.split('\n')).toContain(line)
  }
})

test('limits concurrent fetches to the number set by the operator', async () => {
  await provider[Symbol.asyncDispose]()
  provider = await startTestProvider(source.url, { CAIRN_PROVIDER_PULLS: '2' })
  const held: (() => void)[] = []
  const pieces = await Promise.all([1, 2, 3, 4].map((seed) => put(1000 + seed)))
  for (const _piece of pieces) {
    source.handlers.push((_request, response, body) => {
      held.push(() => response.writeHead(200).end(body))
    })
  }
  for (const { cid, url } of pieces) await provider.offer(cid, url)
  const release = async (count: number) => {
    while (held.length < count) await new Promise((resolve) => setImmediate(resolve))
    expect(held).toHaveLength(count)
    expect(provider.context.pulling.size).toBe(count)
    for (const one of held.splice(0)) one()
  }
  await release(2)
  await release(2)
  for (const { cid } of pieces) await provider.until(cid, 'kept')
})
