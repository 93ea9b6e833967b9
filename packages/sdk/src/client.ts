import { callTimeoutMs, type NetworkProfile, transferTimeoutMs } from '@cairn/protocol'
import type { KeySession } from './keys/session.ts'
import type { KnownNames } from './names/known-names.ts'

/** What every function of the SDK works with: plain data, nothing is opened. */
export type Client = {
  readonly network: NetworkProfile
  /** Needed for everything about keys of encrypted files; made by `signIn` or `openKeySession`. */
  readonly keySession: KeySession | undefined
  /** Told when a session was renewed, so that it can be kept. */
  readonly onKeySession: ((session: KeySession) => void) | undefined
  readonly apiKey: string | undefined
  /** Newest record seen of each name: an older one is not believed afterwards. */
  readonly knownNames: KnownNames
  readonly fetch: typeof fetch
  /** Limit of a call in ms; 8 seconds unless told. */
  readonly callTimeoutMs: number
  /** Limit of an upload or download in ms; 2 hours unless told. */
  readonly transferTimeoutMs: number
}

export type ClientOptions = {
  /** Where the network's parts are: see `loadNetwork`. */
  network: NetworkProfile
  /** Needed for uploads and for everything about an account; made by `signIn` or `createApiKey`. */
  apiKey?: string
  /** Needed for encrypted files: made by `signIn` or `openKeySession`. */
  keySession?: KeySession | undefined
  /** Told when the session was renewed. */
  onKeySession?: (session: KeySession) => void
  fetch?: typeof fetch
  callTimeoutMs?: number
  transferTimeoutMs?: number
}

/**
 * Describes a client.
 *
 * @example
 * const network = await loadNetwork()
 * const client = createClient({ network, apiKey })
 */
export function createClient(options: ClientOptions): Client {
  return {
    network: options.network,
    apiKey: options.apiKey,
    knownNames: new Map(),
    keySession: options.keySession,
    onKeySession: options.onKeySession,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    callTimeoutMs: options.callTimeoutMs ?? callTimeoutMs,
    transferTimeoutMs: options.transferTimeoutMs ?? transferTimeoutMs,
  }
}
