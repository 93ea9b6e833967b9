import { setTimeout as delay } from 'node:timers/promises'
import type { TestClient } from 'viem'
import type { PoolWatch } from './watch-pool.ts'

/** Maximum number of intervals that a transaction waits while others keep arriving. */
const maxTicks = 5
/** Time in ms without transactions after which further empty blocks follow the last ones. */
const lateBlockMs = 1_000

/** The calls of a node that a miner uses. */
type MinedNode = Pick<TestClient, 'setAutomine' | 'getTxpoolStatus' | 'mine'>

/**
 * Mines pending transactions a moment after the last of them: published clients cache their next nonce for a quarter of
 * a second, and would reuse it if blocks came immediately. An empty block follows at once, because viem looks for a receipt
 * once per block and may look too early. A later block could already contain the next transaction of a client that has its
 * receipt. Two more empty blocks follow when no transaction comes for a second: viem ignores the blocks that it sees while it still
 * looks at an earlier one, and would wait for a receipt until the next transaction of anyone. Otherwise there are no blocks without
 * transactions, and the node is asked nothing.
 * @param watch watches the pool of the node, until the miner stops
 */
export async function startMiner(
  node: MinedNode,
  watch: () => PoolWatch,
  mineEveryMs: number,
): Promise<AsyncDisposable> {
  await node.setAutomine(false)
  const pool = watch()
  const stop = new AbortController()
  let seen = 0
  let ticks = 0
  let needsLateBlocks = false
  /** @returns the number of transactions before a block */
  const tick = async (): Promise<number> => {
    const { pending } = await node.getTxpoolStatus()
    ticks = pending === 0 ? 0 : ticks + 1
    if (pending > 0 && (pending === seen || ticks > maxTicks)) {
      await node.mine({ blocks: 2 })
      needsLateBlocks = true
      ticks = 0
      // The next transaction is new, even if there are as many as were mined.
      seen = 0
    } else {
      seen = pending
    }
    return pending
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        // Requested first, so that no transaction arrives unnoticed after the look into the pool.
        const change = pool.next()
        if ((await tick()) > 0) await delay(mineEveryMs, undefined, { signal: stop.signal })
        else if (!needsLateBlocks) await change
        else if (!(await comesWithin(lateBlockMs, change, stop.signal))) {
          // Two again, for a transaction that arrives at this moment.
          needsLateBlocks = false
          await node.mine({ blocks: 2 })
        }
      } catch {
        // The chain stops before its miner when the process is killed; any other failure shows as pending transactions.
        if (!stop.signal.aborted) await delay(mineEveryMs)
      }
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      pool[Symbol.dispose]()
      await running
    },
  }
}

/** Waits for an event. @returns whether it came in time */
async function comesWithin(ms: number, event: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const ended = new AbortController()
  const end = AbortSignal.any([signal, ended.signal])
  try {
    return await Promise.race([event.then(() => true), delay(ms, false, { signal: end })])
  } finally {
    ended.abort()
  }
}
