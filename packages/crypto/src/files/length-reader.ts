import type { OpenSource } from './source.ts'

/**
 * Reads a stream in lengths that the caller chooses. A stream that ends within its first piece takes the memory of that piece
 * only: the files of a folder are often smaller than a chunk by a factor of a hundred.
 */
export type LengthReader = {
  /** Returns `length` bytes, or the remaining ones, in a buffer of their own. */
  read(length: number): Promise<Uint8Array<ArrayBuffer>>
  /** The same for a length that is always the same, in a buffer that the next call fills. */
  readChunk(length: number): Promise<Uint8Array<ArrayBuffer>>
  isAtEnd(): Promise<boolean>
}

export function createLengthReader(pieces: OpenSource): LengthReader {
  let rest: Uint8Array = new Uint8Array(0)
  let chunk: Uint8Array<ArrayBuffer> | undefined
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const { done, value } = await pieces.next()
      if (done === true) return false
      rest = value
    }
    return true
  }
  const take = (maxBytes: number): Uint8Array => {
    const part = rest.subarray(0, maxBytes)
    rest = rest.subarray(part.length)
    return part
  }
  /** Fills `out` from a position on, and returns what is filled. */
  const readInto = async (out: Uint8Array<ArrayBuffer>, from: number): Promise<Uint8Array<ArrayBuffer>> => {
    let filled = from
    while (filled < out.length && (await fill())) {
      const part = take(out.length - filled)
      out.set(part, filled)
      filled += part.length
    }
    return out.subarray(0, filled)
  }
  const read = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
    await fill()
    const first = new Uint8Array(take(length))
    if (first.length === length || !(await fill())) return first
    const whole = new Uint8Array(length)
    whole.set(first)
    return readInto(whole, first.length)
  }
  return {
    read,
    async readChunk(length) {
      if (chunk !== undefined) return readInto(chunk, 0)
      const first = await read(length)
      if (first.buffer.byteLength === length) chunk = new Uint8Array(first.buffer)
      return first
    },
    isAtEnd: async () => !(await fill()),
  }
}
