import {
  CairnError,
  type Client,
  closeKeySession,
  createClient,
  type KeySession,
  type NetworkProfile,
  revokeApiKey,
} from '@cairn/sdk'
import { dropClosing, keepClosing } from './closing-sessions.ts'
import type { Session } from './session-store.ts'

/** Ends a session's credentials where they were made. Storage's ends by its time where it is not reached. */
export async function endCredentials(network: NetworkProfile, { apiKey, keySession }: Session): Promise<void> {
  const client = createClient({ network, apiKey })
  const keyId = /^cairn_([0-9a-z]+)_/.exec(apiKey)?.[1]
  const ended = await Promise.allSettled([
    ...(keyId === undefined ? [] : [revokeApiKey(client, keyId)]),
    ...(keySession === undefined ? [] : [endKeySession(client, keySession)]),
  ])
  for (const one of ended) {
    // A service that is away is no reason to keep anybody signed in; anything else is a fault of ours.
    if (one.status === 'rejected' && !CairnError.is(one.reason)) throw one.reason
  }
}

/** Ends a session at the key nodes; what cannot be reached is kept, so that it is ended there when it can. */
export async function endKeySession(client: Client, keySession: KeySession): Promise<void> {
  const { open } = await closeKeySession(client, keySession)
  if (open.length === 0) await dropClosing(keySession)
  else await keepClosing(keySession)
}
