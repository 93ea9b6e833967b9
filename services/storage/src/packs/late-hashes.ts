import { KIB, MIB } from '@cairn/protocol'
import type { RunHasher } from './run-hasher.ts'
import type { Slab } from './slab-writer.ts'

/** A smaller block costs less to hash than to pass to another thread. */
const minBlockBytes = 64 * KIB
/** Bytes of one task. */
const maxTaskBytes = MIB
const digestBytes = 32
/** Tasks that may wait for the other thread: those of two slabs at most. A writer waits for a slab, not for a task. */
const maxWaiting = 8

/** Hashes blocks in slabs on another thread, while the next bytes are received. */
export type LateHashes = {
  /** Whether a block of this size is better hashed there: the thread has time, and the block is worth it. */
  wants(sizeBytes: number): boolean
  /** Computes the SHA-256 of bytes in a slab, which must not change meanwhile. */
  hash(slab: Slab, start: number, sizeBytes: number): Promise<Uint8Array>
}

type Task = { slab: Slab; ranges: number[]; sizeBytes: number; answers: ((digest: Promise<Uint8Array>) => void)[] }

/** Collects the blocks of one turn of the event loop, up to a MiB, into one task. */
export function createLateHashes(hasher: RunHasher): LateHashes {
  let next: Task | undefined

  const send = (task: Task): void => {
    if (next === task) next = undefined
    if (task.sizeBytes === 0) return
    task.sizeBytes = 0
    const digests = hasher.hash(task.slab.bytes.buffer, task.ranges, maxWaiting)
    for (const [at, answer] of task.answers.entries()) {
      answer(digests.then((all) => all.subarray(at * digestBytes, (at + 1) * digestBytes)))
    }
  }

  const taskFor = (slab: Slab): Task => {
    if (next?.slab === slab) return next
    if (next !== undefined) send(next)
    const task: Task = { slab, ranges: [], sizeBytes: 0, answers: [] }
    next = task
    setImmediate(send, task)
    return task
  }

  return {
    wants: (sizeBytes) => sizeBytes >= minBlockBytes && (next !== undefined || hasher.hasRoom(maxWaiting)),
    hash(slab, start, sizeBytes) {
      const task = taskFor(slab)
      task.ranges.push(start, sizeBytes)
      task.sizeBytes += sizeBytes
      const { promise, resolve } = Promise.withResolvers<Uint8Array>()
      task.answers.push(resolve)
      if (task.sizeBytes >= maxTaskBytes) send(task)
      return promise
    },
  }
}
