import {
  CairnError,
  type CallDefinition,
  cancelUpload,
  createUpload,
  getUpload,
  parseUploadLinkToken,
  sendUploadBytes,
  uploadLinkGraceMs,
} from '@cairn/protocol'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { findUploadLink, linkEnded } from './store.ts'

/** Calls that the token of an upload link authorizes, each for uploads through that link only. */
const allowedCalls: readonly string[] = [createUpload.id, getUpload.id, sendUploadBytes.id, cancelUpload.id]

/** Whether a bearer is the token of an upload link, instead of an API key. */
export function isUploadLinkToken(token: string): boolean {
  return parseUploadLinkToken(token) !== undefined
}

/**
 * Authenticates the sender of an upload as the account of the link. An expired link authorizes uploads that have started a
 * while longer: {@link claimUpload} refuses new ones.
 * @throws CairnError UNAUTHENTICATED, FORBIDDEN (another call), ACCOUNT_BLOCKED, GONE
 */
export async function authenticateUploadLink(
  context: Pick<Context, 'db' | 'clock'>,
  token: string,
  call: Pick<CallDefinition, 'id'>,
): Promise<Caller> {
  const link = await findUploadLink(context.db.read, token)
  if (link === undefined) {
    throw new CairnError('UNAUTHENTICATED', {
      message: 'There is no such upload link',
      hint: 'Copy the whole link, with the part after #.',
    })
  }
  if (!allowedCalls.includes(call.id)) {
    throw new CairnError('FORBIDDEN', {
      message: 'An upload link is valid only for uploads',
      hint: 'Create an API key for other calls.',
    })
  }
  if (link.blocked_at !== null) throw new CairnError('ACCOUNT_BLOCKED')
  if (link.revoked_at !== null) throw linkEnded('revoked')
  if (link.expires_at + uploadLinkGraceMs <= context.clock.now()) throw linkEnded('expired')
  return { address: link.address, keyId: `upload-link-${link.id}`, scopes: ['files:write'], uploadLink: link.id }
}
