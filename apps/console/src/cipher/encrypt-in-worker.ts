import type { CairnError, EncryptBlob } from '@cairn/sdk'
import { type CipherWorker, startWorker } from './start-worker.ts'

/** Chunks requested in advance: the worker produces one while another is hashed and stored. */
const piecesAhead = 2

/** Encrypts the files of one upload, in a worker that lives as long as the upload. */
export type Encryptor = { encrypt: EncryptBlob; end(): void }

/**
 * Encrypts in a worker, one file after the other, no faster than the chunks are consumed. The worker starts with the
 * first file; a reader that stops early terminates it, and the next file starts another.
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
        for (let i = 0; i < piecesAhead; i++) worker.order({ kind: 'next' })
        for (let piece = await next(); piece !== undefined; piece = await next()) {
          yield piece
          worker.order({ kind: 'next' })
        }
        // Each request beyond the end receives one more end message.
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
  /**
   * Returns the next chunk; undefined at the end of the file.
   * @throws the error of the worker
   */
  next(): Promise<Uint8Array | undefined>
}

function start(): Running {
  const pieces: (Uint8Array | undefined)[] = []
  let failed: CairnError | undefined
  let wake = () => {}
  const worker = startWorker(
    (one) => {
      if (one.kind === 'piece') pieces.push(one.bytes)
      else if (one.kind === 'end') pieces.push(undefined)
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
      while (pieces.length === 0) {
        if (failed !== undefined) throw failed
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return pieces.shift()
    },
  }
}
