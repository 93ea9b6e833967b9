import { scryptAsync } from '@noble/hashes/scrypt.js'

/** `N`, `r`, `p`: the cost, as RFC 7914 names it. */
export type ScryptCost = { N: number; r: number; p: number }

/** As in `scrypt.ts`. Browsers have no scrypt of their own. */
export function deriveByScrypt(password: Uint8Array, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
  return scryptAsync(password, salt, { ...cost, dkLen: 32, maxmem: 2 ** 31 })
}
