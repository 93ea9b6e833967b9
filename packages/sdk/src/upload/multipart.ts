import type { LocalFile } from '../local-source.ts'
import { toHex } from '../to-hex.ts'

const utf8 = new TextEncoder()

/** Creates a boundary that no file contains, because it is random. */
export function createBoundary(): string {
  return `----CairnBoundary${randomHex()}`
}

/** Returns 128 random bits as hex. Pages without HTTPS have no `crypto.randomUUID`. */
export function randomHex(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)))
}

/**
 * What a quoted name cannot carry: receivers undo the escapes of browsers (%22, %0D, %0A) and of curl (a backslash before a
 * quote or backslash), also where they are part of the name.
 */
const unquotable = /["\\\p{Cc}\p{Zl}\p{Zp}]|%(?=22|0[AD])/giu

/**
 * Returns the head of a part; nothing for a body that is one file, without a boundary. A name that would arrive changed is
 * sent as `filename*`, too, which takes precedence.
 * @see https://www.rfc-editor.org/rfc/rfc5987
 */
export function partHead(
  boundary: string | undefined,
  file: Pick<LocalFile, 'name' | 'mimeType'>,
  isFirst: boolean,
): Uint8Array {
  if (boundary === undefined) return new Uint8Array()
  const plain = file.name.replace(unquotable, '_')
  const names = plain === file.name ? `"${plain}"` : `"${plain}"; filename*=UTF-8''${encodeExtended(file.name)}`
  const type = file.mimeType ?? 'application/octet-stream'
  return utf8.encode(
    `${isFirst ? '' : '\r\n'}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename=${names}\r\nContent-Type: ${type}\r\n\r\n`,
  )
}

function encodeExtended(text: string): string {
  // Lone surrogates have no UTF-8 form, and `encodeURIComponent` throws for them.
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Returns the end of the body. */
export function multipartEnd(boundary: string | undefined): Uint8Array {
  return boundary === undefined ? new Uint8Array() : utf8.encode(`\r\n--${boundary}--\r\n`)
}
