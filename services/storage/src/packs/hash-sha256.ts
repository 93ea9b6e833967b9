import { hash } from 'node:crypto'

/** SHA-256 in one call, the fastest Node has. */
export function hashSha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer')
}
