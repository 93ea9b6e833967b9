import type { NetworkProfile } from '@cairn/sdk'

/** Returns a profile without what a worker does not need. */
export function forWorker({ wallet: _wallet, ...network }: NetworkProfile): NetworkProfile {
  return network
}
