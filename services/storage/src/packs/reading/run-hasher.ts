import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createOnDemandThread } from '@cairn/service'
import { hashRanges } from '../hash-sha256.ts'

/** Blocks of one run: pairs of offset and length in memory that the thread takes over. */
export type HashTask = { id: number; memory: ArrayBuffer; ranges: readonly number[] }
export type HashAnswer = { id: number } & HashedRun
/** The memory of a run, and the SHA-256 of each of its ranges: 32 bytes each, concatenated. */
export type HashedRun = { memory: ArrayBuffer; digests: Uint8Array }

export type RunHasher = {
  /**
   * Hashes ranges of memory, given as pairs of offset and length. It takes the memory over and returns it, so that all
   * views of it end: memory that threads share would never be collected, because the collector of V8 does not count it.
   * @returns undefined when the thread has died, and the memory with it
   */
  hash(memory: ArrayBuffer, ranges: readonly number[]): Promise<HashedRun | undefined>
}

/** Maximum number of runs queued for the other thread, those of two readers; further runs are hashed on this one. */
const maxWaiting = 8

/**
 * Hashes runs on a separate thread, so that some are verified while another is sent. The thread starts with the first
 * run and does not keep the process alive.
 */
export function createRunHasher(): RunHasher {
  const waiting = new Map<number, (run: HashedRun | undefined) => void>()
  const isAlone = availableParallelism() < 2
  let nextId = 0
  const thread = createOnDemandThread<HashAnswer>(
    () => new Worker(new URL('./hash-thread.ts', import.meta.url)),
    ({ id, memory, digests }, from) => {
      waiting.get(id)?.({ memory, digests })
      waiting.delete(id)
      if (waiting.size === 0) from.unref()
    },
    () => {
      for (const resolve of waiting.values()) resolve(undefined)
      waiting.clear()
    },
  )

  return {
    hash(memory, ranges) {
      if (isAlone || waiting.size >= maxWaiting) return Promise.resolve({ memory, digests: hashRanges(memory, ranges) })
      const task: HashTask = { id: nextId++, memory, ranges }
      const worker = thread.open()
      const { promise, resolve } = Promise.withResolvers<HashedRun | undefined>()
      waiting.set(task.id, resolve)
      worker.ref()
      worker.postMessage(task, [memory])
      return promise
    },
  }
}
