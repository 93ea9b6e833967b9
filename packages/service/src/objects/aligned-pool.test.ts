import { expect, it } from 'vitest'
import { createAlignedPool } from './aligned-pool.ts'

it('reuses the buffers that it keeps, and frees any excess at once', () => {
  const pool = createAlignedPool(2 * 8192)
  const taken = Array.from({ length: 3 }, () => pool.acquire(8192, 0))
  const buffers = taken.map(({ buffer }) => buffer)
  for (const bytes of taken) pool.release(bytes)

  expect(buffers.map(({ detached }) => detached)).toEqual([false, false, true])
  const again = Array.from({ length: 3 }, () => pool.acquire(8192, 0).buffer)
  expect(buffers.filter((buffer) => again.includes(buffer))).toEqual(buffers.slice(0, 2))
})
