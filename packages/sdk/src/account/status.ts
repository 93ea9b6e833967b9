import { CairnError, getReadiness } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Whether a network accepts requests, and the reason if it does not. */
export type Status =
  | { ready: true; version: string; parts: Record<string, string> }
  | { ready: false; error: CairnError }

/**
 * Reads the status of a network. A network that is down is a result, not an error.
 * @throws CairnError ABORTED
 */
export async function getStatus(client: Client, options?: CallOptions): Promise<Status> {
  try {
    const { version, parts } = await call(client, getReadiness, { query: {} }, options)
    return { ready: true, version, parts }
  } catch (error) {
    if (!CairnError.is(error) || error.code === 'ABORTED') throw error
    return { ready: false, error }
  }
}
