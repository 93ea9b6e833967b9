import { randomBytes } from 'node:crypto'
import { createAlignedPool } from '@cairn/service/objects'
import { expect, test } from 'vitest'
import { gatheredBytes, gatherPieces } from './gather-pieces.ts'

const pool = createAlignedPool(0)

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const piece of source) all.push(piece)
  return all
}

test.each([1_000, 65_536, gatheredBytes, 9_000_000])('joins pieces of %d bytes, and loses none', async (size) => {
  const bytes = randomBytes(8_000_000)
  const gathered = await collect(gatherPieces(cut(bytes, size), pool, 0))
  expect(gathered.map(({ length }) => length)).toEqual([
    gatheredBytes,
    gatheredBytes,
    gatheredBytes,
    8_000_000 - 3 * gatheredBytes,
  ])
  expect(Buffer.concat(gathered).equals(bytes)).toBe(true)
  expect(new Set(gathered.map(({ buffer }) => buffer)).size).toBe(4)
})

test('returns nothing for nothing', async () => {
  expect(await collect(gatherPieces(cut(new Uint8Array(0), 1), pool, 0))).toEqual([])
})

test('passes on what came before a failure, then the failure', async () => {
  const source = async function* () {
    yield Uint8Array.of(1, 2)
    yield Uint8Array.of(3)
    throw new Error('cut')
  }
  const gathered = gatherPieces(source(), pool, 0)
  expect(await gathered.next()).toEqual({ done: false, value: Uint8Array.of(1, 2, 3) })
  await expect(gathered.next()).rejects.toThrow('cut')
})

test('a pausing source does not delay the pieces that it returned', async () => {
  const { promise: more, resolve } = Promise.withResolvers<void>()
  const source = async function* () {
    yield Uint8Array.of(1)
    await more
    yield Uint8Array.of(2)
  }
  const gathered = gatherPieces(source(), pool, 0)
  expect((await gathered.next()).value).toEqual(Uint8Array.of(1))
  resolve()
  expect((await gathered.next()).value).toEqual(Uint8Array.of(2))
  expect((await gathered.next()).done).toBe(true)
})

test('a reader that stops ends the source', async () => {
  let ended = 0
  const source = async function* () {
    try {
      for (;;) yield new Uint8Array(gatheredBytes + 1)
    } finally {
      ended++
    }
  }
  for await (const piece of gatherPieces(source(), pool, 0)) {
    expect(piece).toHaveLength(gatheredBytes)
    break
  }
  expect(ended).toBe(1)
})
