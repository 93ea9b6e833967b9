import { CairnError, getReadiness } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Whether a network takes requests, and why not. */
export type Status =
  | { ready: true; version: string; parts: Record<string, string> }
  | { ready: false; error: CairnError }

/** Asks a network how it is. Never throws for a network that is down: that is an answer. @throws CairnError ABORTED */
export async function getStatus(client: Client, options?: CallOptions): Promise<Status> {
  try {
    const { version, parts } = await call(client, getReadiness, {}, options)
    return { ready: true, version, parts }
  } catch (error) {
    if (!CairnError.is(error) || error.code === 'ABORTED') throw error
    return { ready: false, error }
  }
}
