import { Worker } from 'node:worker_threads'
import type { Piece } from '@cairn/pieces'
import { CairnError, type ErrorCode, restoreError } from '@cairn/protocol'
import { createOnDemandThread } from '@cairn/service'

/** A request to the thread. */
export type HashQuestion = { id: number; hasher: number } & (
  | { kind: 'write' | 'hash' | 'borrow'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'zeros'; length: number; bytes?: never }
  | { kind: 'finish' | 'drop'; bytes?: never }
)
/** A commitment, and the levels of its tree in their stored form. */
export type HashedPiece = { piece: Piece; levels: Uint8Array }
export type HashAnswer = {
  id: number
  hashed?: HashedPiece
  /** The kept nodes of bytes that were passed at once. */
  nodes?: Uint8Array
  /** Bytes that were lent. */
  bytes?: Uint8Array<ArrayBuffer>
  failure?: { code: ErrorCode; message: string }
}

/** Computes one commitment on another thread. */
export type ThreadHasher = {
  /**
   * Copies and hashes the bytes. Resolves when the queue has space. @throws CairnError the first error of the thread
   */
  write(bytes: Uint8Array): Promise<void>
  /**
   * As {@link write}, but takes over the memory of the bytes instead of a copy, and gives it back to `onReturn`: memory that
   * threads share would never be collected, because the collector of V8 does not count it.
   */
  lend(bytes: Uint8Array<ArrayBuffer>, onReturn: (bytes: Uint8Array<ArrayBuffer>) => void): Promise<void>
  /** As {@link write} with zeros. */
  writeZeros(length: number): Promise<void>
  /**
   * Returns the commitment. @throws CairnError INVALID_REQUEST for an empty payload, PIECE_TOO_LARGE, INTERNAL when
   * the thread died
   */
  finish(): Promise<HashedPiece>
  /** Cancels the computation. */
  drop(): void
}

/** A thread that computes commitments. */
export type HashThread = AsyncDisposable & {
  createHasher(): ThreadHasher
  /** Returns the kept nodes over complete bytes, or the root of few bytes; the bytes are copied. */
  hash(bytes: Uint8Array): Promise<Uint8Array>
}

/** Maximum number of queued writes per hasher; each is a copy of what was read. */
const maxWaiting = 4

type Waiting = { resolve(answer: HashAnswer): void; reject(error: unknown): void }

/** Starts with the first request, does not keep the process alive, and restarts after it died. */
export function createHashThread(): HashThread {
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  const thread = createOnDemandThread<HashAnswer>(
    () => new Worker(new URL('./hash-thread.ts', import.meta.url)),
    (answer, from) => {
      const asker = waiting.get(answer.id)
      waiting.delete(answer.id)
      if (waiting.size === 0) from.unref()
      if (answer.failure === undefined) asker?.resolve(answer)
      else asker?.reject(restoreError(answer.failure.code, { message: answer.failure.message }))
    },
    (cause) => {
      for (const { reject } of waiting.values()) reject(new CairnError('INTERNAL', { cause }))
      waiting.clear()
    },
  )
  type Unnumbered = HashQuestion extends infer Q ? (Q extends HashQuestion ? Omit<Q, 'id'> : never) : never
  const ask = (question: Unnumbered): Promise<HashAnswer> => {
    const worker = thread.open()
    const id = nextId++
    const { promise, resolve, reject } = Promise.withResolvers<HashAnswer>()
    waiting.set(id, { resolve, reject })
    worker.ref()
    const { bytes } = question
    worker.postMessage({ ...question, id }, bytes === undefined ? [] : [bytes.buffer])
    return promise
  }

  const createHasher = (): ThreadHasher => {
    const hasher = nextId++
    const running = new Set<Promise<unknown>>()
    let failure: unknown
    let home: Worker | undefined
    const requireHome = (): void => {
      if (home !== undefined && !thread.isOpen(home))
        failure ??= new CairnError('INTERNAL', { cause: 'hash thread failed' })
      if (failure !== undefined) throw failure
    }
    const send = async (
      question: Unnumbered,
      onAnswer: (answer: HashAnswer) => void = () => undefined,
    ): Promise<void> => {
      requireHome()
      const sent = ask(question)
        .then(onAnswer)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => running.delete(sent))
      running.add(sent)
      home ??= thread.open()
      if (running.size >= maxWaiting) await Promise.race(running)
      if (failure !== undefined) throw failure
    }
    return {
      // Copies only these bytes: their buffer may be larger, and is reused.
      write: (bytes) => send({ kind: 'write', hasher, bytes: new Uint8Array(bytes) }),
      lend: (lent, onReturn) =>
        send({ kind: 'borrow', hasher, bytes: lent }, ({ bytes }) => {
          if (bytes !== undefined) onReturn(bytes)
        }),
      writeZeros: (length) => send({ kind: 'zeros', hasher, length }),
      async finish() {
        await Promise.all(running)
        requireHome()
        const { hashed } = await ask({ kind: 'finish', hasher })
        if (hashed === undefined) throw new CairnError('INTERNAL')
        return hashed
      },
      drop() {
        if (home !== undefined && thread.isOpen(home)) ask({ kind: 'drop', hasher }).catch(() => undefined)
      },
    }
  }

  return {
    createHasher,
    async hash(bytes) {
      const { nodes } = await ask({ kind: 'hash', hasher: nextId++, bytes: new Uint8Array(bytes) })
      if (nodes === undefined) throw new CairnError('INTERNAL')
      return nodes
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
