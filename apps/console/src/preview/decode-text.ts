/** Most that is shown of a text, in bytes. */
export const textBytesMost = 256 * 1024

/**
 * Bytes as text, where they are UTF-8; undefined for anything else. A character cut in two at the end is left away.
 * @param isCut whether more bytes follow those given
 */
export function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
