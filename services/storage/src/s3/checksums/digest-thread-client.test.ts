import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CairnError, MIB } from '@cairn/protocol'
import { afterEach, expect, test } from 'vitest'
import { codeOf } from '../../../../../tests/code-of.ts'
import { feedFrom } from '../../multipart/read-multipart.ts'
import { createBodyDigests, digestBody } from './body-digests.ts'
import { createDigestThread, type DigestThread } from './digest-thread-client.ts'

const threads: DigestThread[] = []
function openThread(): DigestThread {
  const thread = createDigestThread()
  threads.push(thread)
  return thread
}

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread[Symbol.asyncDispose]()
})

const wanted = { md5: true, sha256: true, checksum: 'CRC32C' } as const

/** A body in pieces of many lengths; each is overwritten as soon as the next one is requested, as those of requests are freed. */
function makeBody(lengths: readonly number[], seed: number) {
  const pieces = lengths.map((length, at) => new Uint8Array(length).fill(seed + at))
  const whole = Buffer.concat(pieces)
  const feed = feedFrom(
    (function* () {
      for (const piece of pieces) {
        yield piece
        piece.fill(0)
      }
    })(),
  )
  return { whole, feed }
}

test('digests on another thread equal those on this one, for many bodies at once and any pieces', async () => {
  const thread = openThread()
  const shapes = [
    [MIB],
    [3 * MIB + 1, 1, 0, 262_143, 2 * MIB],
    Array.from({ length: 40 }, (_, at) => 65_536 + (at % 3)),
    [5, 262_144, 262_139, 4 * MIB],
  ]
  const digest = async (lengths: readonly number[], seed: number) => {
    const { whole, feed } = makeBody(lengths, seed)
    let taken = 0
    const digests = await digestBody(
      feed,
      thread.begin(wanted, whole.length),
      (piece) => {
        taken += piece.length
      },
      () => undefined,
    )
    const here = createBodyDigests(wanted)
    here.update(whole)
    expect(taken).toBe(whole.length)
    expect(digests).toEqual(await here.finish())
    expect(digests.md5).toBe(createHash('md5').update(whole).digest('hex'))
    expect(digests.sha256).toBe(createHash('sha256').update(whole).digest('hex'))
  }
  await Promise.all(shapes.map((lengths, at) => digest(lengths, at * 40)))
})

test('a body that arrives faster than the thread reads it waits', async () => {
  const thread = openThread()
  const digests = thread.begin(wanted, 64 * MIB)
  const waiting = digests.update(new Uint8Array(64 * MIB))
  expect(waiting).toBeInstanceOf(Promise)
  await waiting
  expect((await digests.finish()).sha256).toBe(
    createHash('sha256')
      .update(Buffer.alloc(64 * MIB))
      .digest('hex'),
  )
})

test('a failing body reports its error to its reader, and the next body is digested', async () => {
  const thread = openThread()
  const failing = digestBody(
    makeBody([2 * MIB, MIB], 1).feed,
    thread.begin(wanted, 3 * MIB),
    () => {
      throw new CairnError('QUOTA_EXCEEDED')
    },
    () => undefined,
  )
  expect(await codeOf(failing)).toBe('QUOTA_EXCEEDED')
  const { whole, feed } = makeBody([MIB], 7)
  const next = await digestBody(
    feed,
    thread.begin(wanted, MIB),
    () => undefined,
    () => undefined,
  )
  expect(next.sha256).toBe(createHash('sha256').update(whole).digest('hex'))
})

test('a body whose thread exits fails, also while it waits, and the next one starts another thread', async () => {
  const thread = openThread()
  const first = thread.begin(wanted, 64 * MIB)
  const second = thread.begin(wanted, 64 * MIB)
  const waiting = Promise.resolve(first.update(new Uint8Array(64 * MIB)))
  const outcome = codeOf(waiting)
  await thread[Symbol.asyncDispose]()
  expect(await outcome).toBe('INTERNAL')
  expect(await codeOf(second.finish())).toBe('INTERNAL')
  second.drop()
  const third = thread.begin(wanted, MIB)
  await third.update(new Uint8Array(MIB))
  expect((await third.finish()).sha256).toBe(createHash('sha256').update(Buffer.alloc(MIB)).digest('hex'))
})

test('the thread loads no other package, which would take ten times as long', async () => {
  const program = `import { registerHooks } from 'node:module'
import { parentPort } from 'node:worker_threads'
const loaded = []
registerHooks({
  resolve(specifier, context, next) {
    loaded.push(specifier)
    return next(specifier, context)
  },
})
await import(${JSON.stringify(new URL('./digest-thread.ts', import.meta.url).href)})
parentPort.postMessage(loaded)`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
  const [loaded]: string[][] = await once(worker, 'message')
  await worker.terminate()
  expect(loaded).toContain('./body-digests.ts')
  expect(loaded?.filter((specifier) => !/^(?:node:|\.\/|file:)/.test(specifier))).toEqual([])
})
