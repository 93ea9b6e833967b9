import { hashPiece } from '@cairn/pieces'
import { MIB } from '@cairn/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fill } from '../deals/open-deals.fixture.ts'
import { createPieceHashing, type PieceHashing } from './hashing.ts'
import type { ReadBytes } from './payload.ts'

let hashing: PieceHashing
beforeEach(() => {
  hashing = createPieceHashing()
})
afterEach(() => hashing.close())

const { signal } = new AbortController()
const readFrom =
  (payload: Uint8Array, onRead: (offset: number) => void = () => undefined): ReadBytes =>
  async (offset, length, into = new Uint8Array(length)) => {
    onRead(offset)
    into.set(payload.subarray(offset, offset + length))
    return into.subarray(0, length)
  }

test('hashes concurrent pieces one after the other, each correctly', async () => {
  const payloads = [9 * MIB, 100, 5 * MIB + 1, MIB].map((sizeBytes, at) => fill(sizeBytes, at))
  const trees = await Promise.all(payloads.map((payload) => hashing.hash(readFrom(payload), payload.length, signal)))
  for (const [at, payload] of payloads.entries()) expect(trees[at]).toEqual(await hashPiece([payload]))
})

test('an aborted or unreadable piece leaves nothing in the next', async () => {
  const payload = fill(13 * MIB, 1)
  const stop = new AbortController()
  const aborted = hashing.hash(
    readFrom(payload, (offset) => {
      if (offset > 5 * MIB) stop.abort(new Error('enough'))
    }),
    payload.length,
    stop.signal,
  )
  const failed = hashing.hash(
    readFrom(payload, (offset) => {
      if (offset > 5 * MIB) throw new Error('unreadable')
    }),
    payload.length,
    signal,
  )
  const next = fill(6 * MIB, 2)
  const good = hashing.hash(readFrom(next), next.length, signal)
  await expect(aborted).rejects.toThrow('enough')
  await expect(failed).rejects.toThrow('unreadable')
  expect(await good).toEqual(await hashPiece([next]))
})

test('a thread that exits half-way fails that piece, and the next gets a new thread', async () => {
  const payload = fill(13 * MIB, 1)
  let closing: Promise<void> | undefined
  const ended = hashing.hash(
    readFrom(payload, (offset) => {
      if (offset > 5 * MIB) closing ??= hashing.close()
    }),
    payload.length,
    signal,
  )
  await expect(ended).rejects.toThrow('the thread of piece commitments exited')
  await closing
  expect(await hashing.hash(readFrom(payload), payload.length, signal)).toEqual(await hashPiece([payload]))
})
