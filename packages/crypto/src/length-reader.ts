import type { OpenSource } from './source.ts'

/** Reads a stream in lengths that the caller chooses. */
export type LengthReader = {
  /** Returns `length` bytes, or the remaining ones. */
  read(length: number): Promise<Uint8Array<ArrayBuffer>>
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
    async read(length) {
      const out = new Uint8Array(length)
      let filled = 0
      while (filled < length && (await fill())) {
        const part = rest.subarray(0, length - filled)
        out.set(part, filled)
        filled += part.length
        rest = rest.subarray(part.length)
      }
      return filled === length ? out : out.slice(0, filled)
    },
    isAtEnd: async () => !(await fill()),
  }
}
