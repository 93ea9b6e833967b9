import { UnixfsError } from './unixfs-error.ts'

/** Reads a stream of pieces by exact counts, keeping at most the current piece and what was asked for. */
export type ByteReader = {
  /** Position in the source of the next byte. */
  readonly offset: number
  /** The next byte, or undefined when the current piece is used up. */
  takeByte(): number | undefined
  /** The next `length` bytes as a view when they lie in the current piece, else undefined. */
  takeView(length: number): Uint8Array | undefined
  /** Makes sure that at least one byte is there; false at the end of the source. */
  fill(): Promise<boolean>
  /** The next `length` bytes. @throws UnixfsError BAD_CAR when the source ends before them. */
  read(length: number): Promise<Uint8Array>
  skip(length: number): Promise<void>
  /** Tells the source that no more is wanted. */
  close(): Promise<void>
}

const nothing = new Uint8Array(0)

/** Opens a reader over `source`. Views it hands out point into the pieces of the source, and are valid until it goes on. */
export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]()
  let piece: Uint8Array = nothing
  let at = 0
  let pieceStart = 0

  const fill = async (): Promise<boolean> => {
    while (at === piece.length) {
      // The source may free a piece as soon as the next is asked for: its length would be zero then.
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

  const takeView = (length: number): Uint8Array | undefined => {
    if (length > piece.length - at) return undefined
    at += length
    return piece.subarray(at - length, at)
  }

  return {
    get offset() {
      return pieceStart + at
    },
    takeByte() {
      return at < piece.length ? piece[at++] : undefined
    },
    takeView,
    fill,
    async read(length) {
      const view = takeView(length)
      if (view !== undefined) return view
      const joined = new Uint8Array(length)
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
