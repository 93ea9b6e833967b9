import { UnixfsError } from '../unixfs-error.ts'

/** Reads a stream of chunks by exact counts. Keeps at most the current chunk and the requested bytes. */
export type ByteReader = {
  /** Position of the next byte in the source. */
  readonly offset: number
  /** Returns the next byte, or undefined at the end of the current chunk. */
  tryReadByte(): number | undefined
  /** Returns the next `length` bytes as a view if they are in the current chunk, else undefined. */
  tryReadView(length: number): Uint8Array | undefined
  /** Ensures that at least one byte is available; false at the end of the source. */
  fill(): Promise<boolean>
  /**
   * Returns the next `length` bytes.
   * @param into receives them if they span chunks; must have `length` bytes or more. A new buffer by default
   * @throws UnixfsError BAD_CAR if the source ends before them
   */
  read(length: number, into?: Uint8Array): Promise<Uint8Array>
  skip(length: number): Promise<void>
  /** Closes the source. */
  close(): Promise<void>
}

const nothing = new Uint8Array(0)

/** Opens a reader over `source`. Its views point into the chunks of the source, and are valid until the next one. */
export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]()
  let piece: Uint8Array = nothing
  let at = 0
  let pieceStart = 0

  const fill = async (): Promise<boolean> => {
    while (at === piece.length) {
      // The source may free a chunk on the next request: its length would be zero then.
      pieceStart += piece.length
      piece = nothing
      at = 0
      const next = await iterator.next()
      if (next.done === true) return false
      piece = next.value
    }
    return true
  }

  const endedEarly = (): never => {
    const offset = pieceStart + at
    throw new UnixfsError('BAD_CAR', `The CAR ends early at byte ${offset}`, { offset })
  }

  const tryReadView = (length: number): Uint8Array | undefined => {
    if (length > piece.length - at) return undefined
    at += length
    return piece.subarray(at - length, at)
  }

  return {
    get offset() {
      return pieceStart + at
    },
    tryReadByte() {
      return at < piece.length ? piece[at++] : undefined
    },
    tryReadView,
    fill,
    async read(length, into) {
      const view = tryReadView(length)
      if (view !== undefined) return view
      const joined = into?.subarray(0, length) ?? new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        if (!(await fill())) return endedEarly()
        const part = piece.subarray(at, at + length - filled)
        joined.set(part, filled)
        filled += part.length
        at += part.length
      }
      return joined
    },
    async skip(length) {
      let left = length
      while (left > 0) {
        if (!(await fill())) return endedEarly()
        const step = Math.min(left, piece.length - at)
        at += step
        left -= step
      }
    },
    async close() {
      await iterator.return?.()
    },
  }
}
