import { callTimeoutMs, type NetworkProfile, transferTimeoutMs } from '@cairn/protocol'

/** What every function of the SDK works with: plain data, nothing is opened. */
export type Client = {
  readonly network: NetworkProfile
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
  /** Limit of a call in ms; 8 seconds unless told. */
  readonly callTimeoutMs: number
  /** Limit of an upload or download in ms; 2 hours unless told. */
  readonly transferTimeoutMs: number
}

export type ClientOptions = {
  /** Where the network's parts are: see `loadNetwork`. */
  network: NetworkProfile
  /** Needed for uploads and for everything about an account; made by `createApiKey`. */
  apiKey?: string
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
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    callTimeoutMs: options.callTimeoutMs ?? callTimeoutMs,
    transferTimeoutMs: options.transferTimeoutMs ?? transferTimeoutMs,
  }
}
