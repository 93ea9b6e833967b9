import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'

/** The fields that a nonce covers; a change of any of them invalidates it. */
export type NonceSubject = {
  /** Normalised. */
  address: string
  domain: string
  /** Id of the challenge. */
  id: string
  /** Milliseconds since 1970. */
  issuedAt: number
  expiresAt: number
}

/**
 * Creates this node's part of a challenge: a MAC over its fields. Nothing is stored: the node recognises it when it
 * comes back, and it cannot be created in advance for a future time.
 */
export function makeNonce({ config, keys }: Context, subject: NonceSubject): string {
  const { address, domain, id, issuedAt, expiresAt } = subject
  const text = ['cairn/challenge/1', config.networkName, config.node, domain, address, id, issuedAt, expiresAt].join(
    '|',
  )
  return createHmac('sha256', keys.nonce).update(text).digest('hex').slice(0, 32)
}

/** Whether a nonce is this node's own for these fields. */
export function isOwnNonce(context: Context, subject: NonceSubject, nonce: string | undefined): boolean {
  const own = Buffer.from(makeNonce(context, subject))
  const given = Buffer.from(nonce ?? '')
  return given.length === own.length && timingSafeEqual(own, given)
}
