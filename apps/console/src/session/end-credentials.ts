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

/** Revokes the credentials of a session at their services. That of storage expires if the service is unreachable. */
export async function endCredentials(network: NetworkProfile, { apiKey, keySession }: Session): Promise<void> {
  const client = createClient({ network, apiKey })
  const keyId = /^cairn_([0-9a-z]+)_/.exec(apiKey)?.[1]
  const ended = await Promise.allSettled([
    ...(keyId === undefined ? [] : [revokeApiKey(client, keyId)]),
    ...(keySession === undefined ? [] : [endKeySession(client, keySession)]),
  ])
  for (const one of ended) {
    // An unavailable service must not prevent sign-out; any other error is a defect.
    if (one.status === 'rejected' && !CairnError.is(one.reason)) throw one.reason
  }
}

/** Closes a session at the key nodes; stores it for the unreachable ones, to close it there later. */
export async function endKeySession(client: Client, keySession: KeySession): Promise<void> {
  const { open } = await closeKeySession(client, keySession)
  if (open.length === 0) await dropClosing(keySession)
  else await keepClosing(keySession)
}
