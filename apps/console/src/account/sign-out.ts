import { CairnError, createClient, type NetworkProfile } from '@cairn/sdk'
import { clearChanges } from '../key-changes/kept-changes.ts'
import { loadCode } from '../parts/load-code.ts'
import { type EndReason, endSession, type Session } from '../session/session-store.ts'

/** Ends the session here immediately, and then cancels its unfinished uploads and revokes its credentials. */
export async function signOut(network: NetworkProfile, reason: EndReason): Promise<void> {
  const session = endSession(reason)
  if (session === undefined) return
  // While the API key is still valid.
  await dropUnfinished(network, session)
  const { endCredentials } = await loadCode(import('../session/key-session-calls.ts'))
  await endCredentials(network, session)
}

async function dropUnfinished(network: NetworkProfile, { address, apiKey }: Session): Promise<void> {
  clearChanges(address)
  const { dropUploads } = await loadCode(import('../upload/restore-uploads.ts'))
  try {
    await dropUploads(createClient({ network, apiKey }), address)
  } catch (error) {
    // An unavailable service removes them itself after a time.
    if (!CairnError.is(error)) throw error
  }
}
