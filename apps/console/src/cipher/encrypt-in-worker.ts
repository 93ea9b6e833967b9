import type { CairnError, EncryptBlob } from '@cairn/sdk'
import { type CipherWorker, startWorker } from './start-worker.ts'

/** Pieces asked for before they are needed: the worker makes one while another is hashed and kept. */
const piecesAhead = 2

/** What encrypts the files of one upload, in a worker that lives as long as the upload. */
export type Encryptor = { encrypt: EncryptBlob; end(): void }

/**
 * Encrypts in a worker, one file after the other, no faster than the pieces are taken. It is started with the first file; who
 * stops reading in the middle ends it at once, and the next file starts another.
 */
export function createEncryptor(): Encryptor {
  let running: Running | undefined
  const end = () => {
    running?.worker.end()
    running = undefined
  }
  return {
    end,
    async *encrypt(blob, masterKey, settings = {}) {
      running ??= start()
      const { worker, next } = running
      let isWhole = false
      try {
        worker.order({ kind: 'encrypt', blob, masterKey, settings })
        for (let i = 0; i < piecesAhead; i++) worker.order({ kind: 'take' })
        for (let piece = await next(); piece !== undefined; piece = await next()) {
          yield piece
          worker.order({ kind: 'take' })
        }
        // Each piece that was asked for beyond the end is answered with the end once more.
        for (let i = 1; i < piecesAhead; i++) await next()
        isWhole = true
      } finally {
        if (!isWhole) end()
      }
    },
  }
}

type Running = {
  worker: CipherWorker
  /** The next piece; undefined at the end of the file. @throws what the worker failed with */
  next(): Promise<Uint8Array | undefined>
}

function start(): Running {
  const told: (Uint8Array | undefined)[] = []
  let failed: CairnError | undefined
  let wake = () => {}
  const worker = startWorker(
    (one) => {
      if (one.kind === 'piece') told.push(one.bytes)
      else if (one.kind === 'end') told.push(undefined)
      wake()
    },
    (error) => {
      failed = error
      wake()
    },
  )
  return {
    worker,
    async next() {
      while (told.length === 0) {
        if (failed !== undefined) throw failed
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return told.shift()
    },
  }
}
