import { chooseTextForm } from './text/text-form.ts'

/** Maximum bytes of a text preview. */
const maxTextBytes = 256 * 1024
/** Maximum bytes of a table: only the visible rows of it are in the page. */
const maxTableBytes = 8 * 1024 * 1024

/** Returns how many bytes of a text are shown. */
export function shownBytes(name: string, mimeType: string | null): number {
  return chooseTextForm(name, mimeType).kind === 'table' ? maxTableBytes : maxTextBytes
}

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
