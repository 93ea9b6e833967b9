import type { KnownNetworks } from '@cairn/sdk'
import type { State } from './state.ts'

/** The chain of a local network: it has nothing of value, and a reset gives it other contracts. */
const localChain = /\(31337\)$/

/** What this machine knows of the networks that it loads by URL. */
export function createKnownNetworks(state: State): KnownNetworks {
  return {
    read: (url) => state.readNetwork(url),
    async write(url, trusted) {
      if (!trusted.payments.some((one) => localChain.test(one))) await state.writeNetwork(url, trusted)
    },
  }
}
