import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
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
  let worker: Worker | undefined
  let nextId = 0

  /** A thread that fails reports its error and then its exit: by then, another may have taken its place. */
  const onDeath = (died: Worker): void => {
    if (worker !== died) return
    worker = undefined
    for (const resolve of waiting.values()) resolve(undefined)
    waiting.clear()
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./hash-thread.ts', import.meta.url))
    started.on('message', ({ id, memory, digests }: HashAnswer) => {
      waiting.get(id)?.({ memory, digests })
      waiting.delete(id)
      if (waiting.size === 0) started.unref()
    })
    started.on('error', () => onDeath(started))
    started.on('exit', () => onDeath(started))
    return started
  }

  return {
    hash(memory, ranges) {
      if (isAlone || waiting.size >= maxWaiting) return Promise.resolve({ memory, digests: hashRanges(memory, ranges) })
      const task: HashTask = { id: nextId++, memory, ranges }
      worker ??= start()
      const { promise, resolve } = Promise.withResolvers<HashedRun | undefined>()
      waiting.set(task.id, resolve)
      // Only pending work keeps the process alive; listening for messages would too.
      worker.ref()
      worker.postMessage(task, [memory])
      return promise
    },
  }
}
