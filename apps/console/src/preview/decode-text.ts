/** Maximum bytes of a text preview. */
export const maxTextBytes = 256 * 1024

/**
 * Decodes UTF-8; undefined for anything else. Omits a truncated character at the end.
 * @param isCut whether more bytes follow
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
