import { CairnError, callTimeoutMs, type NetworkProfile, transferTimeoutMs } from '@cairn/protocol'
import type { KeySession } from './key-session.ts'
import type { KnownNames } from './known-names.ts'
import type { Signer } from './signer/resolve-signer.ts'

/** The context of every SDK function: plain data without open resources. */
export type Client = {
  readonly network: NetworkProfile
  /** Required for calls about encrypted files. Create it with `signIn` or `openKeySession`. */
  readonly keySession: KeySession | undefined
  /** Called after a session renewal, so that the caller can store the session. */
  readonly onKeySession: ((session: KeySession) => void) | undefined
  /** Signs in again at key nodes that the session lacks. */
  readonly signer: Signer | undefined
  readonly apiKey: string | undefined
  /** Newest verified record of each name. Older records are rejected. */
  readonly knownNames: KnownNames
  readonly fetch: typeof fetch
  /** Time limit of a call in ms. Defaults to 8 seconds. */
  readonly callTimeoutMs: number
  /** Time limit of an upload or download in ms. Defaults to 2 hours. */
  readonly transferTimeoutMs: number
}

export type ClientOptions = {
  /** Addresses of the services of the network. See `loadNetwork`. */
  network: NetworkProfile
  /** Required for uploads and account calls. Create it with `signIn` or `createApiKey`. */
  apiKey?: string
  /** Required for encrypted files. Create it with `signIn` or `openKeySession`. */
  keySession?: KeySession | undefined
  /** Called after a session renewal. */
  onKeySession?: (session: KeySession) => void
  /**
   * Signs in again at a key node that no longer knows the session, or that was unavailable when it was opened: at most
   * once a minute for each node, during a call that needs it. Pass one that signs without a prompt; with a wallet that
   * prompts, call `extendKeySession` when the user agrees.
   */
  signer?: Signer | undefined
  /** Replaces the fetch of the platform, except for uploads. Downloads in Node use it instead of the faster HTTP client. */
  fetch?: typeof fetch
  callTimeoutMs?: number
  transferTimeoutMs?: number
}

/** The fetch of the platform, as it is at the time of a call. */
export const platformFetch: typeof fetch = (input, init) => fetch(input, init)

/**
 * Creates a client.
 * @example
 * const network = await loadNetwork()
 * const client = createClient({ network, apiKey })
 * @throws CairnError NO_NETWORK if `network` is no profile, such as the promise of `loadNetwork`
 */
export function createClient(options: ClientOptions): Client {
  // Programs without types may pass the promise of a profile.
  if (typeof options?.network?.api !== 'string') {
    throw new CairnError('NO_NETWORK', { hint: 'Pass { network: await loadNetwork() }.' })
  }
  return {
    network: options.network,
    apiKey: options.apiKey,
    knownNames: new Map(),
    keySession: options.keySession,
    onKeySession: options.onKeySession,
    signer: options.signer,
    fetch: options.fetch ?? platformFetch,
    callTimeoutMs: options.callTimeoutMs ?? callTimeoutMs,
    transferTimeoutMs: options.transferTimeoutMs ?? transferTimeoutMs,
  }
}
