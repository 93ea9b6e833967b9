import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'

/** Which refresh token of a session: the one it was opened with is number 0, and each renewal gives the next. */
export type RefreshToken = { sessionId: string; turn: number }

/**
 * Writes a refresh token. Its secret is this node's MAC over session and number, so that a renewal whose answer was lost
 * gives the same again, one from however far back is known for what it is, and nothing of it has to be kept.
 */
export function writeRefreshToken(context: Context, { sessionId, turn }: RefreshToken): string {
  const { config, keys } = context
  const subject = `cairn/refresh/2|${config.networkName}|${config.node}|${sessionId}|${turn}`
  const mac = createHmac('sha256', keys.nonce).update(subject).digest('base64url')
  return `${sessionId}.${turn}-${mac}`
}

const pattern = /^([0-9a-f-]{36})\.((0|[1-9]\d{0,8})-[\w-]{43})$/

/**
 * Reads a refresh token that this node wrote; undefined for anything else.
 * @returns the secret too: it is what the proof of a session's key covers
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
