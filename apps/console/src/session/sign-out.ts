import { CairnError, type Client, createClient, type KeySession, type NetworkProfile, revokeApiKey } from '@cairn/sdk'
import { type EndReason, endSession } from './session-store.ts'

/** Ends the session here at once, and then its credentials where they were made: what is not reached ends by its time. */
export async function signOut(network: NetworkProfile, reason: EndReason): Promise<void> {
  const session = endSession(reason)
  if (session === undefined) return
  const { apiKey, keySession } = session
  const client = createClient({ network, apiKey, ...(keySession === undefined ? {} : { keySession }) })
  const keyId = /^cairn_([0-9a-z]+)_/.exec(apiKey)?.[1]
  const ended = await Promise.allSettled([
    ...(keyId === undefined ? [] : [revokeApiKey(client, keyId)]),
    ...(keySession === undefined ? [] : [closeAtNodes(client, keySession)]),
  ])
  for (const one of ended) {
    // A service that is away is no reason to keep anybody signed in; anything else is a fault of ours.
    if (one.status === 'rejected' && !CairnError.is(one.reason)) throw one.reason
  }
}

async function closeAtNodes(client: Client, keySession: KeySession): Promise<void> {
  const { closeKeySession } = await import('./key-session-calls.ts')
  await closeKeySession(client, keySession)
}
