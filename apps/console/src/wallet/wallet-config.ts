import type { NetworkProfile } from '@cairn/sdk'
import { type Chain, defineChain, type Transport } from 'viem'
import { type Config, type CreateConnectorFn, createConfig, createStorage, injected } from 'wagmi'
import { httpTransport } from './http-transport.ts'
import { keepText, recallText } from './kept-text.ts'

/**
 * Creates the wallet configuration: the chains of the network profile, and every wallet that the browser announces
 * (EIP-6963). Calls no other host.
 * @param more connectors of wallets outside of the browser
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
    chains.map((chain) => [chain.id, httpTransport(chain.rpcUrls.default.http[0])]),
  )
  return createConfig({
    chains,
    transports,
    connectors: [injected(), ...more],
    multiInjectedProviderDiscovery: true,
    storage: createStorage({ key: 'cairn.wallet', storage: keptTexts }),
  })
}

/** Browsers that block the storage of a page also throw when it is accessed. */
const keptTexts = { getItem: recallText, setItem: keepText, removeItem: keepText }

/** The chain of a network without payments. Wallets sign messages on any chain. */
const walletsOwn = defineChain({
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
