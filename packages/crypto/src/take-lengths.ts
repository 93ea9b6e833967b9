import type { OpenSource } from './source.ts'

/** Takes a stream apart in lengths of the caller's choice. */
export type LengthReader = {
  /** So many bytes, or what is left. */
  take(length: number): Promise<Uint8Array<ArrayBuffer>>
  isAtEnd(): Promise<boolean>
}

export function takeLengths(pieces: OpenSource): LengthReader {
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
    async take(length) {
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
