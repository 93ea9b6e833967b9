import { MIB } from '@cairn/protocol'
import type { AlignedPool } from '@cairn/service/objects'

/** Bytes that are written and hashed at a time: each costs a hop to another thread and back. */
export const gatheredBytes = 2 * MIB
/** Time after which fewer bytes go on, so that progress shows and little is lost with the process. */
const maxWaitMs = 200

/**
 * Joins the small pieces of a response, which continues a file at `position`. Each result has a buffer of its own, from the pool,
 * to which the last to need it may return it. If the source fails, yields what it gave before the failure.
 */
export async function* gatherPieces(
  source: AsyncIterable<Uint8Array>,
  pool: AlignedPool,
  position: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const pieces = source[Symbol.asyncIterator]()
  let at = position
  let gathered = pool.acquire(gatheredBytes, at)
  let filled = 0
  const take = (): Uint8Array<ArrayBuffer> => {
    const taken = gathered.subarray(0, filled)
    at += filled
    gathered = pool.acquire(gatheredBytes, at)
    filled = 0
    return taken
  }
  let isOver = false
  try {
    for (let next = pieces.next(); ; ) {
      if (filled > 0 && !(await isSettledWithin(next, maxWaitMs))) yield take()
      const { done, value } = await next
      if (done) break
      for (let taken = 0; taken < value.length; ) {
        const part = value.subarray(taken, taken + gathered.length - filled)
        gathered.set(part, filled)
        filled += part.length
        taken += part.length
        if (filled === gathered.length) yield take()
      }
      next = pieces.next()
    }
    isOver = true
    if (filled > 0) yield take()
  } catch (error) {
    isOver = true
    if (filled > 0) yield take()
    throw error
  } finally {
    // Not awaited: a source that sends no more would hold up what failed.
    if (!isOver) pieces.return?.().catch(() => undefined)
  }
}

/** Returns whether a promise settles in time, either way. */
function isSettledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false)
    const settle = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    promise.then(settle, settle)
  })
}
