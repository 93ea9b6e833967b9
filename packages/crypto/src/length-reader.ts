import type { OpenSource } from './source.ts'

/** Reads a stream in lengths that the caller chooses. */
export type LengthReader = {
  /**
   * Returns `length` bytes, or the remaining ones.
   * @param into receives them; must have `length` bytes or more. A new buffer by default
   */
  read(length: number, into?: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  isAtEnd(): Promise<boolean>
}

export function createLengthReader(pieces: OpenSource): LengthReader {
  let rest: Uint8Array = new Uint8Array(0)
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const { done, value } = await pieces.next()
      if (done === true) return false
      rest = value
    }
    return true
  }
  return {
    async read(length, into) {
      const out = into ?? new Uint8Array(length)
      let filled = 0
      while (filled < length && (await fill())) {
        const part = rest.subarray(0, length - filled)
        out.set(part, filled)
        filled += part.length
        rest = rest.subarray(part.length)
      }
      if (into !== undefined) return into.subarray(0, filled)
      return filled === length ? out : out.slice(0, filled)
    },
    isAtEnd: async () => !(await fill()),
  }
}
