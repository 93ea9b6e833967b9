import { hkdfSync } from 'node:crypto'

const keyBytes = 32

/** Derives a key of the service for one purpose. @see https://www.rfc-editor.org/rfc/rfc5869 */
export function deriveKey(secret: Uint8Array, purpose: string, sizeBytes = keyBytes): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, 'cairn/storage/1', purpose, sizeBytes))
}
