import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { hashRanges } from './hash-sha256.ts'

/** Blocks of one run: pairs of offset and length in shared memory. */
export type HashTask = { id: number; memory: SharedArrayBuffer; ranges: readonly number[] }
export type HashAnswer = { id: number; digests: Uint8Array }

export type RunHasher = {
  /** Computes SHA-256 of each range: 32 bytes each, concatenated. The memory must not change meanwhile. */
  hash(memory: SharedArrayBuffer, ranges: readonly number[]): Promise<Uint8Array>
}

/** Maximum number of runs queued for the other thread; further runs are hashed on this one. */
const maxWaiting = 2

type Waiting = { task: HashTask; resolve(digests: Uint8Array): void }

/**
 * Hashes runs on a separate thread, so that one run is verified while the previous one is sent. The thread starts
 * with the first run and does not keep the process alive; when it dies, its pending runs are hashed here.
 */
export function createRunHasher(): RunHasher {
  const waiting = new Map<number, Waiting>()
  const isAlone = availableParallelism() < 2
  let worker: Worker | undefined
  let nextId = 0

  const onDeath = (): void => {
    worker = undefined
    for (const { task, resolve } of waiting.values()) resolve(hashRanges(task.memory, task.ranges))
    waiting.clear()
  }

  const start = (): Worker => {
    const started = new Worker(new URL('./hash-thread.ts', import.meta.url))
    started.on('message', ({ id, digests }: HashAnswer) => {
      waiting.get(id)?.resolve(digests)
      waiting.delete(id)
      if (waiting.size === 0) started.unref()
    })
    started.on('error', onDeath)
    started.on('exit', onDeath)
    return started
  }

  return {
    hash(memory, ranges) {
      const task = { id: nextId++, memory, ranges }
      if (isAlone || waiting.size >= maxWaiting) return Promise.resolve(hashRanges(task.memory, task.ranges))
      worker ??= start()
      const { promise, resolve } = Promise.withResolvers<Uint8Array>()
      waiting.set(task.id, { task, resolve })
      // Only pending work keeps the process alive; listening for messages would too.
      worker.ref()
      worker.postMessage(task)
      return promise
    },
  }
}
