import type { Client } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'

/** Clients of the calls of one server. */
export type Clients = {
  /** Returns a client with the stored API key, or without one. */
  reader(): Promise<Client>
  /** Returns a client with an API key. @throws CairnError NO_API_KEY */
  account(): Promise<Client>
  /** Returns a client with a session with the key nodes. @throws CairnError NO_WALLET, NO_KEY_NODES */
  keys(signal: AbortSignal): Promise<Client>
  /** Returns a client with both. @throws CairnError NO_API_KEY, NO_WALLET, NO_KEY_NODES */
  accountAndKeys(signal: AbortSignal): Promise<Client>
}

/**
 * Opens the clients of a server. Calls run concurrently, but keys and sessions are created one at a time: the second
 * call uses those of the first.
 */
export function createClients(context: CommandContext): Clients {
  let last: Promise<unknown> = Promise.resolve()
  const runExclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work)
    last = result
    return result
  }
  const { session } = context
  return {
    reader: () => runExclusive(() => session.optionalClient()),
    account: () => runExclusive(() => session.client()),
    keys: (signal) => runExclusive(() => openKeyClient({ ...context, signal })),
    accountAndKeys: (signal) => runExclusive(() => openKeyClient({ ...context, signal }, { withApiKey: true })),
  }
}
