import { createClient, type NetworkProfile } from '@cairn/sdk'
import type { Config } from 'wagmi'
import { clearChanges } from '../key-changes/kept-changes.ts'
import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { loadCode } from '../parts/load-code.ts'
import { disconnectWallets } from '../session/connected-wallet.ts'
import { endCredentials, isDone } from '../session/end-credentials.ts'
import { type EndReason, endSession, type Session } from '../session/session-store.ts'
import { toastNotice } from '../ui/toasts/toast-store.ts'

/** Signs out, and disconnects the wallets. Neither waits for the other, or for code that is not loaded yet. */
export async function leaveAccount(config: Config, network: NetworkProfile): Promise<void> {
  await Promise.all([signOut(network, 'signed-out'), disconnectWallets(config)])
}

/**
 * Ends the session here immediately, and then cancels its unfinished uploads and revokes its credentials. What cannot be done,
 * because a service is unreachable or code cannot be loaded, is said and stops nothing else.
 */
export async function signOut(network: NetworkProfile, reason: EndReason): Promise<void> {
  const session = endSession(reason)
  if (session === undefined) return
  clearChanges(session.address)
  // While the API key is still valid.
  const areUploadsDropped = await isDone(dropUploads(network, session))
  const isRevoked = await endCredentials(network, session)
  const open = [
    ...(isRevoked ? [] : [messages.session.keyStaysValid(formatDateTime(session.expiresAt))]),
    ...(areUploadsDropped ? [] : [messages.session.uploadsStay]),
  ]
  if (open.length > 0) toastNotice(messages.session.signedOutHere, open.join(' '))
}

async function dropUploads(network: NetworkProfile, { address, apiKey }: Session): Promise<void> {
  const { dropUploads: drop } = await loadCode(import('../upload/restore-uploads.ts'))
  await drop(createClient({ network, apiKey }), address)
}
