import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { maxWriteBytes } from '../limits.ts'
import { writeAll } from './write-all.ts'

let folder: string
let file: FileHandle

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-write-'))
  file = await open(join(folder, 'file'), 'w')
})
afterEach(async () => {
  await file.close()
  await rm(folder, { recursive: true })
})

/** A file on a system that writes at most `maxBytes` per call; records the bytes of each call. */
function limitWrites(maxBytes: number, broughtBytes: number[]): Parameters<typeof writeAll>[0] {
  return {
    writev: (parts, position) => {
      const all = Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)))
      broughtBytes.push(all.length)
      return file.writev([all.subarray(0, maxBytes)], position)
    },
  }
}

it.each([
  [Number.POSITIVE_INFINITY, 1],
  [Number.POSITIVE_INFINITY, 4],
  [100_003, 1],
  [100_003, 4],
])('writes in bounded calls if one accepts %d bytes, %d at once', async (maxBytes, callsAtOnce) => {
  const head = randomBytes(59)
  const parts = [
    head,
    new Uint8Array(0),
    randomBytes(4 * maxWriteBytes),
    randomBytes(maxWriteBytes + 1),
    randomBytes(7),
  ]
  const broughtBytes: number[] = []
  await file.write(randomBytes(10))
  const written = await writeAll(limitWrites(maxBytes, broughtBytes), parts, 10, { callsAtOnce })
  const expected = Buffer.concat(parts)
  expect(written).toBe(expected.length)
  expect((await readFile(join(folder, 'file'))).subarray(10).equals(expected)).toBe(true)
  expect(Math.max(...broughtBytes)).toBe(maxWriteBytes)
  if (maxBytes > maxWriteBytes) expect(broughtBytes).toHaveLength(6)
})

it('reports a full disk when a write accepts nothing', async () => {
  await expect(writeAll(limitWrites(0, []), [randomBytes(10)], 0)).rejects.toMatchObject({ code: 'ENOSPC' })
})

it('runs as many calls at once as allowed, in order if only one, and none after a failure', async () => {
  for (const callsAtOnce of [1, 3]) {
    let underWay = 0
    let most = 0
    const positions: number[] = []
    const failing: Parameters<typeof writeAll>[0] = {
      writev: async (parts, position) => {
        most = Math.max(most, ++underWay)
        positions.push(position)
        try {
          if (position === 10 * maxWriteBytes) throw new Error('the eleventh call fails')
          return await file.writev(parts, position)
        } finally {
          underWay--
        }
      },
    }
    const written = writeAll(failing, [randomBytes(40 * maxWriteBytes)], 0, { callsAtOnce })
    await expect(written).rejects.toThrow('the eleventh call fails')
    expect([underWay, most]).toEqual([0, callsAtOnce])
    expect(positions.length).toBeLessThanOrEqual(10 + callsAtOnce)
    if (callsAtOnce === 1) expect(positions).toEqual(Array.from({ length: 11 }, (_, at) => at * maxWriteBytes))
  }
})
