import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'

/** What a nonce is for; whoever changes any of it has no nonce. */
export type NonceSubject = {
  /** Normalised. */
  address: string
  domain: string
  /** Names the challenge. */
  id: string
  /** Milliseconds since 1970. */
  issuedAt: number
  expiresAt: number
}

/**
 * This node's part of a challenge: a MAC over what the challenge says. Nothing is kept; the node recognises it when it comes
 * back, and nobody can make one for a time to come.
 */
export function makeNonce({ config, keys }: Context, subject: NonceSubject): string {
  const { address, domain, id, issuedAt, expiresAt } = subject
  const text = ['cairn/challenge/1', config.networkName, config.node, domain, address, id, issuedAt, expiresAt].join(
    '|',
  )
  return createHmac('sha256', keys.nonce).update(text).digest('hex').slice(0, 32)
}

/** Whether a nonce is this node's own for that subject. */
export function isOwnNonce(context: Context, subject: NonceSubject, nonce: string | undefined): boolean {
  const own = Buffer.from(makeNonce(context, subject))
  const given = Buffer.from(nonce ?? '')
  return given.length === own.length && timingSafeEqual(own, given)
}
