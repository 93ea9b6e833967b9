import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { hashRanges } from './hash-sha256.ts'

/** Ranges of shared memory to hash: pairs of offset and length. */
export type HashTask = { memory: SharedArrayBuffer; ranges: readonly number[] }
/** Work and answer of a thread, of several tasks: one message costs as much as hashing 64 KiB. */
export type HashBatch = readonly HashTask[]
export type HashAnswer = { digests: readonly Uint8Array[] }

/** Threads that compute SHA-256 in place, in memory that they share with this one. */
export type HashThreads = {
  /** Whether there is a core to spare. Without one, {@link HashThreads.hash} hashes here. */
  readonly isAvailable: boolean
  /** Computes SHA-256 of each range: 32 bytes each, concatenated. The memory must not change meanwhile. */
  hash(memory: SharedArrayBuffer, ranges: readonly number[]): Promise<Uint8Array>
}

/** Options of {@link createHashThreads}. */
export type HashThreadsOptions = {
  /** Number of threads. Defaults to one per spare core, at most {@link maxThreads}. */
  threads?: number
  /** Program of a thread. Defaults to that of `hash-thread.ts`. */
  program?: URL
  /** Called when a thread ends by itself. Its tasks are hashed here. */
  onFailure?: (error: Error) => void
}

/** More threads hash faster than a disk or a network delivers. */
const maxThreads = 3
/** Bytes that wait per thread; the asking thread hashes what exceeds them. */
const maxWaitingBytes = 2 * 1024 * 1024
/** Batches sent to a thread: one that it hashes, and the next. */
const batchesPerThread = 2
/** A thread that fails this often without a single answer is not started again. */
const maxFailures = 3

type Waiting = HashTask & { sizeBytes: number; resolve(digests: Uint8Array): void }
type Thread = { worker: Worker; batches: Waiting[][] }

/**
 * Creates threads for hashing. Each starts when there is work for it and does not keep the process alive. What waits
 * is sent in one message, so the more waits, the less a message costs. The tasks of a thread that dies are hashed here.
 */
export function createHashThreads(options: HashThreadsOptions = {}): HashThreads {
  const { program = new URL('./hash-thread.ts', import.meta.url), onFailure } = options
  const maxCount = options.threads ?? Math.min(availableParallelism() - 1, maxThreads)
  const threads: Thread[] = []
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let failures = 0

  const settle = (task: Waiting, digests: Uint8Array): void => {
    waitingBytes -= task.sizeBytes
    task.resolve(digests)
  }
  const hashHere = (task: Waiting): void => settle(task, hashRanges(task.memory, task.ranges))

  const onEnd = (thread: Thread, error: Error): void => {
    const at = threads.indexOf(thread)
    if (at < 0) return
    threads.splice(at, 1)
    failures++
    onFailure?.(error)
    for (const batch of thread.batches) batch.forEach(hashHere)
    if (threads.length === 0) waiting.splice(0).forEach(hashHere)
  }

  const start = (): Thread => {
    const thread: Thread = { worker: new Worker(program), batches: [] }
    const { worker, batches } = thread
    worker.on('message', ({ digests }: HashAnswer) => {
      failures = 0
      const batch = batches.shift() ?? []
      for (const [at, task] of batch.entries()) settle(task, digests[at] ?? hashRanges(task.memory, task.ranges))
      send()
      if (batches.length === 0) worker.unref()
    })
    worker.on('error', (error) => onEnd(thread, error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', (code) => onEnd(thread, new Error(`a hash thread exited with code ${code}`)))
    threads.push(thread)
    return thread
  }

  /** Returns the thread with the least work, a new one if all are busy. */
  const choose = (): Thread | undefined => {
    const idlest = threads.reduce<Thread | undefined>(
      (best, thread) => (best === undefined || thread.batches.length < best.batches.length ? thread : best),
      undefined,
    )
    if (idlest?.batches.length === 0) return idlest
    if (threads.length < maxCount) return start()
    return idlest !== undefined && idlest.batches.length < batchesPerThread ? idlest : undefined
  }

  const send = (): void => {
    for (let thread = waiting.length > 0 ? choose() : undefined; thread !== undefined; ) {
      // The first batch of a thread is one task: it begins at once, and the next gathers meanwhile.
      const share = thread.batches.length === 0 ? 1 : Math.ceil(waiting.length / Math.max(1, threads.length))
      const batch = waiting.splice(0, share)
      thread.batches.push(batch)
      // Only pending work keeps the process alive; listening for messages would too.
      thread.worker.ref()
      const message: HashBatch = batch.map(({ memory, ranges }) => ({ memory, ranges }))
      thread.worker.postMessage(message)
      thread = waiting.length > 0 ? choose() : undefined
    }
  }

  const isUsable = (): boolean => maxCount > 0 && failures < maxFailures
  return {
    get isAvailable() {
      return isUsable()
    },
    hash(memory, ranges) {
      let sizeBytes = 0
      for (let at = 1; at < ranges.length; at += 2) sizeBytes += ranges[at] ?? 0
      if (!isUsable() || (waitingBytes > 0 && waitingBytes + sizeBytes > maxCount * maxWaitingBytes))
        return Promise.resolve(hashRanges(memory, ranges))
      const { promise, resolve } = Promise.withResolvers<Uint8Array>()
      waitingBytes += sizeBytes
      waiting.push({ memory, ranges, sizeBytes, resolve })
      send()
      return promise
    },
  }
}
