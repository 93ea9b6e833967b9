import { freePiece } from './free-piece.ts'

/** The part of Node's `IncomingMessage` that is used. */
type PieceStream = {
  on(event: 'data', listener: (piece: Uint8Array) => void): PieceStream
  on(event: 'end' | 'close' | 'error', listener: (cause?: unknown) => void): PieceStream
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/** Bytes that may wait for the reader, in bytes: what arrives while it hashes or writes. */
const maxWaitingBytes = 2 * 1024 * 1024

/**
 * Iterates over the body of an HTTP message while it arrives. A piece is freed on the request for the next. Unlike a
 * generator, this closes the connection also if it is ended before its first piece.
 *
 * @throws the reason of the signal; the error of the stream, or an Error if it closes before its end
 */
export function readPieces(stream: PieceStream, signal: AbortSignal): AsyncIterableIterator<Uint8Array, undefined> {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let current: Uint8Array | undefined
  let hasEnded = false
  let failure: unknown
  let wake = () => {}
  stream.on('data', ({ buffer, byteOffset, length }: Uint8Array) => {
    // Not a Buffer, whose `slice` is a view: a reader that keeps a copy would keep freed bytes.
    waiting.push(new Uint8Array(buffer, byteOffset, length))
    waitingBytes += length
    if (waitingBytes >= maxWaitingBytes) stream.pause()
    wake()
  })
  stream.on('end', () => {
    hasEnded = true
    wake()
  })
  const breakOff = (cause?: unknown) => {
    if (hasEnded) return
    failure ??= signal.aborted
      ? signal.reason
      : (cause ?? new Error('the connection closed before the end of the body'))
    wake()
  }
  stream.on('error', breakOff).on('close', () => breakOff())
  const release = () => {
    if (current !== undefined) freePiece(current)
    current = undefined
  }
  const pieces: AsyncIterableIterator<Uint8Array, undefined> = {
    async next() {
      release()
      while (waiting.length === 0) {
        if (hasEnded) return { done: true, value: undefined }
        if (failure !== undefined) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      current = waiting.shift() ?? new Uint8Array(0)
      waitingBytes -= current.length
      if (waitingBytes < maxWaitingBytes / 2) stream.resume()
      return { done: false, value: current }
    },
    async return() {
      release()
      hasEnded = true
      waiting.length = 0
      stream.destroy()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => pieces,
  }
  return pieces
}
