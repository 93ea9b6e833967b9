import { Worker } from 'node:worker_threads'
import { hashPiece, type PieceTree } from '@cairn/pieces'
import { MIB } from '@cairn/protocol'
import type { ReadBytes } from './payload.ts'

/** Smaller payloads are hashed on this thread: the transfer costs more. */
const maxBytesHere = 128 * 1024
const stepBytes = MIB

export type PieceTask = { kind: 'bytes'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'finish' } | { kind: 'drop' }
export type PieceAnswer = { kind: 'taken'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'tree'; tree: PieceTree }

/** Computes piece commitments off the main thread, one at a time. */
export type PieceHashing = {
  /** Computes the commitment to `sizeBytes` from `read`. @throws what `read` throws; the signal's reason */
  hash(read: ReadBytes, sizeBytes: number, signal: AbortSignal): Promise<PieceTree>
  close(): Promise<void>
}

/** Handles the end of an idle thread, too: an unhandled error event would end the process. */
function startThread(onEnd: (thread: Worker) => void): Worker {
  const thread = new Worker(new URL('./piece-thread.ts', import.meta.url))
  thread.on('error', () => onEnd(thread))
  thread.on('exit', () => onEnd(thread))
  return thread
}

/** The thread starts with the first large piece and does not keep the process alive. */
export function createPieceHashing(): PieceHashing {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  const hashThere = async (read: ReadBytes, sizeBytes: number, signal: AbortSignal): Promise<PieceTree> => {
    worker ??= startThread((ended) => {
      if (worker === ended) worker = undefined
    })
    const thread = worker
    const free: Uint8Array<ArrayBuffer>[] = [new Uint8Array(stepBytes), new Uint8Array(stepBytes)]
    const { promise: tree, resolve, reject } = Promise.withResolvers<PieceTree>()
    // Handled even before it is awaited, as while bytes are read.
    tree.catch(() => undefined)
    let wake = Promise.withResolvers<void>()
    const onMessage = (answer: PieceAnswer): void => {
      if (answer.kind === 'tree') resolve(answer.tree)
      else {
        free.push(new Uint8Array(answer.bytes.buffer))
        wake.resolve()
      }
    }
    const onEnd = (error: unknown): void => {
      worker = undefined
      reject(error instanceof Error ? error : new Error(`the thread of piece commitments exited: ${String(error)}`))
      wake.resolve()
    }
    thread.on('message', onMessage)
    thread.on('error', onEnd)
    thread.on('exit', onEnd)
    try {
      for (let offset = 0; offset < sizeBytes && worker === thread; ) {
        signal.throwIfAborted()
        const buffer = free.pop()
        if (buffer === undefined) {
          await wake.promise
          wake = Promise.withResolvers<void>()
          continue
        }
        const length = Math.min(stepBytes, sizeBytes - offset)
        await read(offset, length, buffer)
        const bytes = buffer.subarray(0, length)
        thread.postMessage({ kind: 'bytes', bytes } satisfies PieceTask, [bytes.buffer])
        offset += length
      }
      if (worker === thread) thread.postMessage({ kind: 'finish' } satisfies PieceTask)
      return await tree
    } catch (error) {
      if (worker === thread) thread.postMessage({ kind: 'drop' } satisfies PieceTask)
      throw error
    } finally {
      thread.off('message', onMessage)
      thread.off('error', onEnd)
      thread.off('exit', onEnd)
      // The collector counts such memory, but does not run for it before there are 64 MiB.
      for (const { buffer } of free) buffer.transfer(0)
      // Listening for messages keeps the process alive; only pending work may.
      thread.unref()
    }
  }

  return {
    async hash(read, sizeBytes, signal) {
      if (sizeBytes <= maxBytesHere) return hashPiece([await read(0, sizeBytes)])
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      try {
        worker?.ref()
        return await hashThere(read, sizeBytes, signal)
      } finally {
        resolve()
      }
    },
    async close() {
      await worker?.terminate()
      worker = undefined
    },
  }
}
