// biome-ignore lint/style/noRestrictedImports: it computes; no I/O follows, and browsers and bundles get the other file.
import { scrypt } from 'node:crypto'
import { deriveByScrypt as deriveInJavaScript, type ScryptCost } from './scrypt.browser.ts'

/**
 * Derives a key of 32 bytes from a password, by Node itself and on a thread of its own.
 * @see https://www.rfc-editor.org/rfc/rfc7914
 */
export function deriveByScrypt(password: Uint8Array, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
  const { N, r, p } = cost
  // OpenSSL refuses what RFC 7914 does not allow. The published example of a keystore has it, and others open it.
  if (N >= 2 ** (16 * r)) return deriveInJavaScript(password, salt, cost)
  return new Promise((resolve, reject) => {
    // The memory that this cost requires. The caller limits it.
    const maxmem = 128 * r * (N + p + 2) + 2 ** 20
    scrypt(password, salt, 32, { N, r, p, maxmem }, (error, key) => {
      if (error) reject(error)
      else resolve(new Uint8Array(key))
    })
  })
}
