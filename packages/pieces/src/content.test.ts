import { createHash } from 'node:crypto'
import { maxLeafWindows } from '@cairn/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  buildAggregate,
  challengeLeaves,
  countLeaves,
  coversWindow,
  hashPiece,
  listContentWindows,
  listPayloadRanges,
  type Piece,
  provePossession,
} from './index.ts'

const nonceOf = (number: number) => createHash('sha256').update(`nonce ${number}`).digest()
const zeroLeaf = '0'.repeat(64)

test('draws every leaf with content and none of padding', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 6 }),
      fc.nat(),
      async (lengths, seed) => {
        const payloads = lengths.map((length) => new Uint8Array(length).fill(0xff))
        const pieces = await Promise.all(payloads.map(async (payload) => (await hashPiece([payload])).piece))
        const aggregate = buildAggregate(pieces)
        const payload = new Uint8Array(aggregate.piece.payloadBytes)
        for (const [at, bytes] of payloads.entries()) {
          payload.set(bytes, ((aggregate.segments[at]?.offset ?? 0) / 128) * 127)
        }
        payload.set(aggregate.index.payload, aggregate.index.payloadOffset)
        const tree = await hashPiece([payload])
        const windows = listContentWindows(pieces)
        const all = windows.flatMap(({ start, count }) => Array.from({ length: count }, (_, at) => start + at))
        const read = async (offset: number, length: number) => payload.subarray(offset, offset + length)
        const holes = payload.slice()
        for (const { start, end } of listPayloadRanges(aggregate.piece, windows)) holes.fill(0, start, end)
        expect(holes.every((byte) => byte === 0)).toBe(true)
        const drawn = challengeLeaves(aggregate.piece, nonceOf(seed), 20, windows)
        for (const { leaf } of await provePossession(tree, read, drawn)) expect(leaf).not.toBe(zeroLeaf)
        expect(drawn.every((index) => all.includes(index))).toBe(true)
        for (const [at, segment] of aggregate.segments.entries()) {
          const whole = { start: segment.offset / 32, count: countLeaves(lengths[at] ?? 0) }
          expect(coversWindow(windows, whole)).toBe(true)
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('maps windows of leaves to ranges of the payload, merged across small gaps', () => {
  const piece: Piece = { root: new Uint8Array(32), height: 6, payloadBytes: 1000 }
  const windows = [
    { start: 0, count: 2 },
    { start: 4, count: 4 },
    { start: 31, count: 1 },
  ]
  expect(listPayloadRanges(piece, windows)).toEqual([
    { start: 0, end: 64 },
    { start: 127, end: 254 },
    { start: 984, end: 1000 },
  ])
  expect(listPayloadRanges(piece, windows, 63)).toEqual([
    { start: 0, end: 254 },
    { start: 984, end: 1000 },
  ])
  expect(() => listPayloadRanges(piece, [{ start: 31, count: 2 }])).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST' }),
  )
})

test('draws from several windows as from one', () => {
  const piece: Piece = { root: new Uint8Array(32), height: 12, payloadBytes: 127 * 1024 }
  const windows = [
    { start: 8, count: 3 },
    { start: 100, count: 1 },
    { start: 4000, count: 6 },
  ]
  const leaves = [8, 9, 10, 100, 4000, 4001, 4002, 4003, 4004, 4005]
  for (let seed = 0; seed < 50; seed++) {
    const places = challengeLeaves(piece, nonceOf(seed), 20, { start: 0, count: 10 })
    expect(challengeLeaves(piece, nonceOf(seed), 20, windows)).toEqual(places.map((place) => leaves[place]))
  }
  const refused = expect.objectContaining({ code: 'INVALID_REQUEST' })
  for (const wrong of [
    [],
    [...windows].reverse(),
    [windows[0], { start: 10, count: 2 }],
    [{ start: 4090, count: 7 }],
    [{ start: 0, count: 0 }],
  ]) {
    expect(() =>
      challengeLeaves(
        piece,
        nonceOf(0),
        20,
        wrong.filter((one) => one !== undefined),
      ),
    ).toThrow(refused)
  }
})

test('a provider that lost a tenth passes one challenge of 20 leaves in eight, and three in 550', () => {
  const piece: Piece = { root: new Uint8Array(32), height: 20, payloadBytes: 127 * 200_000 }
  const passes = (nonce: Uint8Array) =>
    challengeLeaves(piece, nonce, 20).every((index) => Math.floor(index / 1024) % 10 !== 3)
  const count = 8000
  let once = 0
  let thrice = 0
  for (let at = 0; at < count; at++) {
    const [first, ...others] = [0, 1, 2].map((challenge) => nonceOf(at * 3 + challenge))
    if (first === undefined || !passes(first)) continue
    once++
    if (others.every(passes)) thrice++
  }
  expect(once / count).toBeCloseTo(0.9 ** 20, 2)
  expect(thrice / count).toBeCloseTo(0.9 ** 60, 2)
  expect(thrice / count).toBeLessThan(0.01)
})

test('joins the windows with the least padding between them when an aggregate has too many pieces', () => {
  const pieces = Array.from({ length: 3000 }, (_, at): Piece => {
    return { root: new Uint8Array(32), height: 5, payloadBytes: 1016 - (at % 500) }
  })
  const windows = listContentWindows(pieces)
  expect(windows.length).toBeLessThanOrEqual(maxLeafWindows)
  expect(windows.length).toBeGreaterThan(900)
  for (const at of pieces.keys()) {
    expect(coversWindow(windows, { start: at * 32, count: countLeaves(pieces[at]?.payloadBytes ?? 0) })).toBe(true)
  }
})
