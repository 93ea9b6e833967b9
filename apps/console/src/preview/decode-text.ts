import { chooseTextForm } from './text/text-form.ts'

/** Maximum bytes of a text preview. */
const maxTextBytes = 256 * 1024
/** Maximum bytes of a table, larger because only its visible rows are in the page. */
const maxTableBytes = 8 * 1024 * 1024

/** Returns how many bytes of a text are shown. */
export function shownBytes(name: string, mimeType: string | null): number {
  return chooseTextForm(name, mimeType).kind === 'table' ? maxTableBytes : maxTextBytes
}

/** A decoded text. */
export type DecodedText = {
  text: string
  /** Whether Western European letters were assumed, because the bytes are not Unicode and nothing states their encoding. */
  isGuessed: boolean
}

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, and the Western European encoding of Windows, in which older programs
 * write; undefined for anything that is not text. Omits a truncated character at the end.
 * @param isCut whether more bytes follow
 * @see https://encoding.spec.whatwg.org
 */
export function decodeText(bytes: Uint8Array, isCut: boolean): DecodedText | undefined {
  const marked = markedEncoding(bytes)
  const text = decodeAs(marked ?? 'utf-8', bytes, isCut)
  if (text !== undefined) return text.includes('\0') ? undefined : { text, isGuessed: false }
  const guessed = marked === undefined ? decodeAs('windows-1252', bytes, isCut) : undefined
  return guessed === undefined || controls.test(guessed) ? undefined : { text: guessed, isGuessed: true }
}

/** Characters that no text has, also those that this encoding leaves undefined: the bytes are something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controls = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]/

/** Returns the encoding that a byte order mark names, besides UTF-8. */
function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function decodeAs(encoding: string, bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
