import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startMiner } from './miner.ts'

/** Runs a miner over these numbers of pending transactions, one per interval. @returns the intervals that ended in a block */
async function mine(pending: readonly number[]): Promise<number[]> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const mined: number[] = []
  let at = -1
  const node = {
    setAutomine: async () => undefined,
    async getTxpoolStatus() {
      at++
      if (at === pending.length) resolve()
      return { pending: pending[at] ?? 0, queued: 0 }
    },
    async mine({ blocks }: { blocks: number }) {
      if (at < pending.length) mined.push(at)
      expect(blocks).toBe(2)
    },
  }
  // Something may have arrived at any time.
  const pool = { next: () => delay(1), [Symbol.dispose]: () => undefined }
  await using _miner = await startMiner(node, () => pool, 1)
  await Promise.race([isOver, delay(60_000, undefined, { ref: false })])
  return mined
}

test('a transaction is mined one interval after the last, with an empty block, and nothing without one', async () => {
  expect(await mine([0, 1, 2, 2, 0, 0, 0])).toEqual([3])
})

test('as many transactions as in the last block are new ones, and wait an interval', async () => {
  expect(await mine([1, 1, 1, 1, 0])).toEqual([1, 3])
  expect(await mine([4, 4, 4, 5, 5, 0])).toEqual([1, 4])
})

test('a transaction waits five intervals at most while others keep arriving', async () => {
  expect(await mine([1, 2, 3, 4, 5, 6, 7, 1, 1, 0])).toEqual([5, 8])
})

test('empty blocks follow once, when no transaction comes for a while after the last', async () => {
  const looks = [1, 1]
  let asked = 0
  let isIdle = false
  const mined: boolean[] = []
  const { promise: isOver, resolve: finish } = Promise.withResolvers<void>()
  const node = {
    setAutomine: async () => undefined,
    async getTxpoolStatus() {
      asked++
      const pending = looks.shift() ?? 0
      isIdle = pending === 0
      if (mined.length === 2) void delay(10).then(finish)
      return { pending, queued: 0 }
    },
    async mine({ blocks }: { blocks: number }) {
      expect(blocks).toBe(2)
      mined.push(isIdle)
    },
  }
  const stop = Promise.withResolvers<void>()
  const pool = { next: () => stop.promise, [Symbol.dispose]: () => stop.resolve() }
  await using _miner = await startMiner(node, () => pool, 1)
  await isOver
  expect(mined).toEqual([false, true])
  // Two looks before the block, one after it, and one after the late blocks.
  expect(asked).toBe(4)
})

test('nothing is asked until a transaction arrives', async () => {
  let arrive = (): void => undefined
  let pending = 0
  let asked = 0
  const { promise: isMined, resolve: finish } = Promise.withResolvers<void>()
  const { promise: isWaiting, resolve: wait } = Promise.withResolvers<void>()
  const pool = {
    next: () =>
      new Promise<void>((resolve) => {
        arrive = resolve
      }),
    [Symbol.dispose]: () => arrive(),
  }
  const node = {
    setAutomine: async () => undefined,
    async getTxpoolStatus() {
      asked++
      // Ten times as long as the interval, in which it would be asked again.
      if (asked === 1) void delay(10).then(wait)
      return { pending, queued: 0 }
    },
    async mine() {
      pending = 0
      finish()
    },
  }
  await using _miner = await startMiner(node, () => pool, 1)
  await isWaiting
  expect(asked).toBe(1)
  pending = 1
  arrive()
  await isMined
})
