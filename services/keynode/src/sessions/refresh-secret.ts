import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'

/** The first secret of a session. */
export function createRefreshSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a secret. */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

/**
 * The secret after this one. It follows from the one before, so that a renewal whose answer was lost gives the same again,
 * and so that a secret from further back is known for what it is.
 */
export function nextSecret({ keys }: Context, secret: string): string {
  return createHmac('sha256', keys.nonce).update(`cairn/refresh/1|${secret}`).digest('base64url')
}

/** Renewals that are looked back over: more than seven days of them. */
const stepsMost = 1_000

/** Whether a secret is an earlier one of the same session. */
export function isEarlierSecret(context: Context, secret: string, current: Uint8Array): boolean {
  let later = secret
  for (let step = 0; step < stepsMost; step++) {
    later = nextSecret(context, later)
    if (isSameHash(hashSecret(later), current)) return true
  }
  return false
}

/** Whether two hashes are equal, in a time that tells nothing. */
export function isSameHash(one: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && one.length === other.length && timingSafeEqual(one, other)
}
