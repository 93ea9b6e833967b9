import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'

/** A refresh token of a session: number 0 when it was opened, incremented with each renewal. */
export type RefreshToken = { sessionId: string; turn: number }

/**
 * Writes a refresh token. Its secret is this node's MAC over session and number, so that a renewal whose answer was
 * lost returns the same token, old tokens are recognised, and none has to be stored.
 */
export function writeRefreshToken(context: Context, { sessionId, turn }: RefreshToken): string {
  const { config, keys } = context
  const subject = `cairn/refresh/2|${config.networkName}|${config.node}|${sessionId}|${turn}`
  const mac = createHmac('sha256', keys.nonce).update(subject).digest('base64url')
  return `${sessionId}.${turn}-${mac}`
}

const pattern = /^([0-9a-f-]{36})\.((0|[1-9]\d{0,8})-[\w-]{43})$/

/** Returns whether a text has the form of a refresh token, of this node or another, or of this node under another secret. */
export function hasRefreshForm(text: string): boolean {
  return pattern.test(text.replace(/^r:/, ''))
}

/**
 * Parses a refresh token of this node; returns undefined for anything else.
 * @returns the secret too: the proof of a session's key covers it
 */
export function readRefreshToken(context: Context, text: string): (RefreshToken & { secret: string }) | undefined {
  const given = text.replace(/^r:/, '')
  const [, sessionId, secret, number] = pattern.exec(given) ?? []
  if (sessionId === undefined || secret === undefined) return undefined
  const token = { sessionId, turn: Number(number) }
  const own = Buffer.from(writeRefreshToken(context, token))
  const other = Buffer.from(given)
  return own.length === other.length && timingSafeEqual(own, other) ? { ...token, secret } : undefined
}
