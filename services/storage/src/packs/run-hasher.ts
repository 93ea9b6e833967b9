import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { hashRanges } from './hash-sha256.ts'

/** Blocks of one run: pairs of offset and length in shared memory. */
export type HashTask = { id: number; memory: SharedArrayBuffer; ranges: readonly number[] }
export type HashAnswer = { id: number; digests: Uint8Array }

export type RunHasher = {
  /** SHA-256 of each range, one after the other, 32 bytes each. The memory must not change meanwhile. */
  hash(memory: SharedArrayBuffer, ranges: readonly number[]): Promise<Uint8Array>
}

/** Runs that may wait for the other thread; beyond, this one takes a share. */
const waitingMost = 2

type Waiting = { task: HashTask; resolve(digests: Uint8Array): void }

/**
 * Hashes runs on a thread of its own, so that one run is checked while the one before it is sent. The thread starts with
 * the first run, keeps no process alive, and when it dies what it had is hashed here.
 */
export function createRunHasher(): RunHasher {
  const waiting = new Map<number, Waiting>()
  const isAlone = availableParallelism() < 2
  let worker: Worker | undefined
  let nextId = 0

  const giveUp = (): void => {
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
    started.on('error', giveUp)
    started.on('exit', giveUp)
    return started
  }

  return {
    hash(memory, ranges) {
      const task = { id: nextId++, memory, ranges }
      if (isAlone || waiting.size >= waitingMost) return Promise.resolve(hashRanges(task.memory, task.ranges))
      worker ??= start()
      const { promise, resolve } = Promise.withResolvers<Uint8Array>()
      waiting.set(task.id, { task, resolve })
      // Only work under way keeps the process alive; listening for messages would too.
      worker.ref()
      worker.postMessage(task)
      return promise
    },
  }
}
