import { type Client, closeKeySession, type KeySession } from '@cairn/sdk'
import { dropClosing, keepClosing } from './closing-sessions.ts'

/** Closes a session at the key nodes; stores it for the unreachable ones, to close it there later. */
export async function endKeySession(client: Client, keySession: KeySession): Promise<void> {
  const { open } = await closeKeySession(client, keySession)
  if (open.length === 0) await dropClosing(keySession)
  else await keepClosing(keySession)
}
