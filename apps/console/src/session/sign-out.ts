import { CairnError, createClient, type NetworkProfile } from '@cairn/sdk'
import { forgetChanges } from '../access/kept-changes.ts'
import { type EndReason, endSession, type Session } from './session-store.ts'

/** Ends the session here at once, and then its unfinished uploads and its credentials where they were made. */
export async function signOut(network: NetworkProfile, reason: EndReason): Promise<void> {
  const session = endSession(reason)
  if (session === undefined) return
  // While the key still opens the service.
  await dropUnfinished(network, session)
  const { endCredentials } = await import('./key-session-calls.ts')
  await endCredentials(network, session)
}

async function dropUnfinished(network: NetworkProfile, { address, apiKey }: Session): Promise<void> {
  forgetChanges(address)
  const { dropUploads } = await import('../upload/restore-uploads.ts')
  try {
    await dropUploads(createClient({ network, apiKey }), address)
  } catch (error) {
    // A service that is away gives them up by itself, in its time.
    if (!CairnError.is(error)) throw error
  }
}
