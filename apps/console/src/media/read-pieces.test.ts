import { expect, test } from 'vitest'
import { readPieces } from './read-pieces.ts'

const kibibyte = 1024

test('yields a range in growing pieces, at most one ahead of its reader', async () => {
  const asked: [number, number][] = []
  const file = {
    read: async (fromByte: number, length: number) => {
      asked.push([fromByte, length])
      return new Uint8Array(length)
    },
  }
  const pieces = readPieces(file, { fromByte: 10, toByte: 10 + 20 * 1024 * kibibyte })
  await pieces.next()
  expect(asked).toEqual([
    [10, 256 * kibibyte],
    [10 + 256 * kibibyte, 512 * kibibyte],
  ])
  let received = 256 * kibibyte
  for await (const piece of pieces) received += piece.length
  expect(received).toBe(20 * 1024 * kibibyte)
  expect(Math.max(...asked.map(([, length]) => length))).toBe(4096 * kibibyte)
})

test('throws what the file throws, also for a piece that was read ahead', async () => {
  const file = {
    read: async (fromByte: number, length: number) => {
      if (fromByte > 0) throw new RangeError('gone')
      return new Uint8Array(length)
    },
  }
  const pieces = readPieces(file, { fromByte: 0, toByte: 1024 * kibibyte })
  await pieces.next()
  await expect(pieces.next()).rejects.toThrow('gone')
})
