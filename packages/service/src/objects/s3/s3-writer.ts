import { randomUUID } from 'node:crypto'
import { CairnError, KIB, MIB } from '@cairn/protocol'
import { headTooLong, keyInUse, writerEnded } from '../object-errors.ts'
import type { ObjectWriter } from '../objects.ts'
import { createPartBuffer } from './part-buffer.ts'
import type { PartMemory } from './part-memory.ts'
import type { S3Bucket, S3Part } from './s3-bucket.ts'

/** Size of the first part and minimum size of the others. S3 accepts 5 MiB and more. */
const partBytes = 8 * MIB
/** Memory that a small object takes. */
const smallObjectBytes = 64 * KIB
/** Parts beyond this number grow by {@link partBytes}, so that 10,000 parts, S3's limit, hold more than 1 TiB. */
const partsOfOneSize = 350

/** Returns the size of a part by its number, counted from 1. */
export function partBytesOf(number: number): number {
  return partBytes * (1 + Math.floor((number - 1) / partsOfOneSize))
}

/** Dependencies of a writer. */
export type S3WriterPlace = {
  readonly bucket: S3Bucket
  /** Memory for parts that are sent beside another of the same object, shared by all writers. */
  readonly memory: PartMemory
  /** Key within the bucket. */
  readonly key: string
  /** Adds or removes the note that the object is unconfirmed. */
  setUnconfirmed(isUnconfirmed: boolean): Promise<void>
  /** Called when no unfinished upload is left, or when the sweep has to remove it. */
  onEnd(): void
}

/**
 * Writes an object: with one call when it fits into the first part, else in parts. The first part stays in memory and
 * is sent last, because the head is written at the end. A call may be sent twice and its answer may be lost; the
 * object carries a writer id, by which the writer detects that it was written.
 */
export function createS3Writer({ bucket, memory, key, setUnconfirmed, onEnd }: S3WriterPlace): ObjectWriter {
  const writer = randomUUID()
  const first = createPartBuffer(partBytes, smallObjectBytes)
  const parts: Promise<S3Part>[] = []
  const inFlight = new Set<Promise<S3Part>>()
  let filling = first
  let sizeBytes = 0
  let uploadId: string | undefined
  /** The first failure of a part. */
  let failure: { error: unknown } | undefined
  let isNoted = false
  /** Whether the object may exist or appear without this writer knowing. */
  let isInDoubt = false
  let state: 'open' | 'failed' | 'finished' | 'aborted' = 'open'

  const guard = async <T>(step: () => Promise<T>): Promise<T> => {
    if (state !== 'open') throw writerEnded(state)
    try {
      return await step()
    } catch (error) {
      state = 'failed'
      throw error
    }
  }

  /** The note assigns the multipart upload to a replica, so it is written first. */
  const note = async (): Promise<void> => {
    isNoted = true
    await setUnconfirmed(true)
  }

  const start = async (): Promise<string> => {
    if (uploadId === undefined) {
      await note()
      uploadId = await bucket.startMultipart(key, writer)
    }
    return uploadId
  }

  /**
   * Waits until a part of this size may be sent: each writer may have one in flight, and more while there is memory. A
   * request takes a while, and those of one object do not slow each other.
   * @returns what to call when it was sent
   */
  const awaitMemory = async (sizeBytes: number): Promise<() => void> => {
    for (;;) {
      if (inFlight.size === 0) return () => undefined
      const release = memory.reserve(sizeBytes)
      if (release !== undefined) return release
      await Promise.race(inFlight)
    }
  }

  /** Sends the current part while the next one fills. */
  const sendPart = async (): Promise<void> => {
    const id = await start()
    if (failure !== undefined) throw failure.error
    const bytes = filling.bytes()
    const release = await awaitMemory(bytes.length)
    const sent = bucket.putPart(key, id, parts.length + 2, bytes)
    parts.push(sent)
    inFlight.add(sent)
    const end = () => {
      inFlight.delete(sent)
      release()
    }
    // The next part, or finish, reports the failure.
    sent.then(end, (error: unknown) => {
      failure ??= { error }
      end()
    })
  }

  /** Continues with the next part once the current one is full. The first one is kept. */
  const nextPart = async (): Promise<void> => {
    if (filling !== first) await sendPart()
    filling = createPartBuffer(partBytesOf(parts.length + 2), partBytes)
  }

  /**
   * Runs the call that makes the object visible, and determines its outcome when the answer is an error or is lost.
   */
  const commit = async (run: () => Promise<void>): Promise<void> => {
    isInDoubt = true
    let refusal: unknown
    try {
      await run()
    } catch (error) {
      refusal = error
    }
    if (refusal === undefined && uploadId === undefined) return
    const found = await bucket.head(key)
    if (found?.writer === writer) {
      if (found.sizeBytes === sizeBytes) return
      throw new CairnError('STORAGE_FAILED', { cause: `the object has ${found.sizeBytes} of ${sizeBytes} bytes` })
    }
    // The object of another writer permanently prevents this one.
    isInDoubt = found === undefined && (refusal === undefined || CairnError.is(refusal, 'UNAVAILABLE'))
    if (found !== undefined) throw keyInUse()
    throw refusal ?? new CairnError('STORAGE_FAILED', { cause: 'the object is missing after its upload completed' })
  }

  return {
    append: (added) =>
      guard(async () => {
        for (const bytes of added) {
          for (let at = 0; at < bytes.length; ) {
            if (filling.isFull) await nextPart()
            at += filling.add(bytes.subarray(at))
          }
          sizeBytes += bytes.length
        }
      }),
    setHead: (bytes) =>
      guard(async () => {
        if (bytes.length > first.length) throw headTooLong()
        first.setHead(bytes)
      }),
    finish: () =>
      guard(async () => {
        if (filling === first) {
          await note()
          await commit(() => bucket.put(key, first.bytes(), { onlyNew: true, writer }))
        } else {
          await sendPart()
          const id = await start()
          const others = await Promise.all(parts)
          const head = await bucket.putPart(key, id, 1, first.bytes())
          await commit(() => bucket.complete(key, id, [head, ...others]))
        }
        state = 'finished'
        onEnd()
        return { sizeBytes }
      }),
    async abort() {
      if (state === 'finished' || state === 'aborted') return
      state = 'aborted'
      try {
        // A part in flight would be stored, and billed, after the abort.
        await Promise.allSettled(parts)
        if (uploadId !== undefined) await bucket.abortMultipart(key, uploadId)
        // An object that is visible in spite of the failure, or may become so, keeps its note: the next start decides.
        if (isNoted && !isInDoubt) await setUnconfirmed(false)
      } finally {
        onEnd()
      }
    },
  }
}
