import type { NetworkProfile } from '@cairn/sdk'
import { type Chain, defineChain, http, type Transport } from 'viem'
import { type Config, type CreateConnectorFn, createConfig, createStorage, injected } from 'wagmi'

/**
 * What wallets are spoken to with: the chains of the network's profile, and every wallet that the browser announces
 * (EIP-6963). Nothing is asked of any other host.
 * @param more ways to wallets that the browser does not have
 */
export function createWalletConfig(network: NetworkProfile, more: readonly CreateConnectorFn[]): Config {
  const [first = walletsOwn, ...others] = (network.chains ?? (network.chain === undefined ? [] : [network.chain])).map(
    ({ chainId, name, symbol, nativeDecimals, rpcUrl }) =>
      defineChain({
        id: chainId,
        name,
        nativeCurrency: { name: symbol, symbol, decimals: nativeDecimals },
        rpcUrls: { default: { http: [rpcUrl] } },
      }),
  )
  const chains: [Chain, ...Chain[]] = [first, ...others]
  const transports: Record<number, Transport> = Object.fromEntries(
    chains.map((chain) => [chain.id, http(chain.rpcUrls.default.http[0])]),
  )
  return createConfig({
    chains,
    transports,
    connectors: [injected(), ...more],
    multiInjectedProviderDiscovery: true,
    storage: createStorage({ key: 'cairn.wallet', storage: localStorage }),
  })
}

/** Where nothing can be paid, a wallet still signs: on whatever chain it is. */
const walletsOwn = defineChain({
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
