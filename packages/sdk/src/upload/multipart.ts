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
 * Returns the head of a part; nothing for a body that is one file, without a boundary. Quotes and line breaks in names are percent-encoded, as in browsers.
 * @see https://html.spec.whatwg.org/#multipart-form-data
 */
export function partHead(
  boundary: string | undefined,
  file: Pick<LocalFile, 'name' | 'mimeType'>,
  isFirst: boolean,
): Uint8Array {
  if (boundary === undefined) return new Uint8Array()
  const name = file.name.replace(/["\r\n]/g, (letter) => encodeURIComponent(letter))
  const type = file.mimeType ?? 'application/octet-stream'
  return utf8.encode(
    `${isFirst ? '' : '\r\n'}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
  )
}

/** Returns the end of the body. */
export function multipartEnd(boundary: string | undefined): Uint8Array {
  return boundary === undefined ? new Uint8Array() : utf8.encode(`\r\n--${boundary}--\r\n`)
}
