import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { CairnError, KIB, MIB } from '@cairn/protocol'
import { createOnDemandThread } from '@cairn/service'
import { type BodyDigests, createBodyDigests, type Digests, type WantedDigests } from './body-digests.ts'

export type DigestQuestion = { body: number } & (
  | { kind: 'begin'; wanted: WantedDigests }
  /** The thread takes the memory over, and returns it. */
  | { kind: 'piece'; memory: ArrayBuffer; length: number }
  | { kind: 'finish' | 'drop' }
)
export type DigestAnswer = { body: number; memory?: ArrayBuffer; digests?: Digests | undefined }

/** Computes the digests of large bodies on another thread. */
export type DigestThread = AsyncDisposable & {
  /** Starts the digests of a body: those of a small one, and of every one on a single processor, are computed here. */
  begin(wanted: WantedDigests, sizeBytes: number): BodyDigests
}

/** Smaller bodies are digested faster than they are handed over. */
const minThreadBytes = MIB
/** Memory per body: pieces are copied into the next of these while the thread reads the others. */
const memoryBytes = 256 * KIB
const memoriesPerBody = 4

/** What the thread sends to one body. */
type Receiver = { returned(memory: ArrayBuffer): void; finished(digests: Digests | undefined): void; died(): void }

/**
 * Starts a thread with the first large body. MD5, which the ETag of an object requires, takes longer than everything else that
 * happens to its bytes, and the checksums that clients choose may take several times as long: on the thread that receives, all
 * other requests would wait for them.
 */
export function createDigestThread(): DigestThread {
  const receivers = new Map<number, Receiver>()
  let nextBody = 0
  const thread = createOnDemandThread<DigestAnswer>(
    () => new Worker(new URL('./digest-thread.ts', import.meta.url)),
    ({ body, memory, digests }) => {
      const receiver = receivers.get(body)
      if (memory === undefined) receiver?.finished(digests)
      else receiver?.returned(memory)
    },
    () => {
      for (const receiver of receivers.values()) receiver.died()
      receivers.clear()
    },
  )

  const beginThere = (wanted: WantedDigests): BodyDigests => {
    const home = thread.open()
    const body = nextBody++
    const finished = Promise.withResolvers<Digests | undefined>()
    /** Memory of this body that the thread does not read. */
    const free: ArrayBuffer[] = []
    let memories = 0
    let filled: { memory: ArrayBuffer; length: number } | undefined
    let onFree: (() => void) | undefined
    let isDead = false

    const post = (question: DigestQuestion, memory: ArrayBuffer[] = []): void => home.postMessage(question, memory)
    const wake = (): void => {
      onFree?.()
      onFree = undefined
    }
    const requireAlive = (): void => {
      if (isDead) throw new CairnError('INTERNAL', { cause: 'the thread that computes digests ended' })
    }
    const end = (): void => {
      receivers.delete(body)
      // Only bodies in progress keep the process alive.
      if (receivers.size === 0) home.unref()
    }
    const flush = (): void => {
      if (filled === undefined) return
      const { memory, length } = filled
      filled = undefined
      post({ kind: 'piece', body, memory, length }, [memory])
    }
    const takeMemory = (): ArrayBuffer | undefined => {
      const memory = free.pop()
      if (memory !== undefined || memories === memoriesPerBody) return memory
      memories++
      return new ArrayBuffer(memoryBytes)
    }
    /** Copies bytes until there is no memory; returns how many. */
    const copy = (bytes: Uint8Array): number => {
      requireAlive()
      let done = 0
      while (done < bytes.length) {
        if (filled === undefined) {
          const memory = takeMemory()
          if (memory === undefined) break
          filled = { memory, length: 0 }
        }
        const part = bytes.subarray(done, done + memoryBytes - filled.length)
        new Uint8Array(filled.memory).set(part, filled.length)
        filled.length += part.length
        done += part.length
        if (filled.length === memoryBytes) flush()
      }
      return done
    }
    const copyRest = async (bytes: Uint8Array): Promise<void> => {
      let rest = bytes
      while (rest.length > 0) {
        await new Promise<void>((resolve) => {
          onFree = resolve
        })
        rest = rest.subarray(copy(rest))
      }
    }

    receivers.set(body, {
      returned(memory) {
        free.push(memory)
        wake()
      },
      finished: finished.resolve,
      died() {
        isDead = true
        finished.resolve(undefined)
        wake()
      },
    })
    home.ref()
    post({ kind: 'begin', body, wanted })
    return {
      update(piece) {
        const done = copy(piece)
        return done === piece.length ? undefined : copyRest(piece.subarray(done))
      },
      async finish() {
        requireAlive()
        flush()
        post({ kind: 'finish', body })
        const digests = await finished.promise
        end()
        if (digests === undefined) requireAlive()
        if (digests === undefined) throw new CairnError('INTERNAL')
        return digests
      },
      drop() {
        if (isDead) return
        post({ kind: 'drop', body })
        end()
      },
    }
  }

  const isAlone = availableParallelism() < 2
  return {
    begin: (wanted, sizeBytes) =>
      isAlone || sizeBytes < minThreadBytes ? createBodyDigests(wanted, sizeBytes) : beginThere(wanted),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
