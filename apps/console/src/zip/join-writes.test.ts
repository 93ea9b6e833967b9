import { expect, test } from 'vitest'
import { joinWrites } from './join-writes.ts'

test('small writes reach the file together and in order, large ones separately', async () => {
  const written: number[][] = []
  let isClosed = false
  const file = joinWrites({
    write: async (bytes) => void written.push([bytes.length, bytes[0] ?? -1]),
    close: async () => {
      isClosed = true
    },
    abort: async () => undefined,
  })
  const mebibyte = 1024 * 1024
  const used = new Uint8Array(mebibyte / 2)
  for (const value of [1, 2, 3]) await file.write(used.fill(value))
  await file.write(new Uint8Array(2 * mebibyte).fill(4))
  await file.write(used.fill(5).subarray(0, 10))
  expect(written).toEqual([
    [mebibyte, 1],
    [mebibyte / 2, 3],
    [2 * mebibyte, 4],
  ])
  await file.close()
  expect(written.at(-1)).toEqual([10, 5])
  expect(isClosed).toBe(true)
})
