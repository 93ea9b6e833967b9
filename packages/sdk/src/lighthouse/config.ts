import {
  CairnError,
  defaultNetwork,
  keyNodePauseMs,
  type NetworkCoin,
  type NetworkName,
  networks,
  type Stablecoin,
} from '@cairn/protocol'

/** A chain in the format of the published module. Set the payment contract to pay there. */
export type LighthouseNetwork = {
  symbol: string
  native_decimal: number
  rpc: string
  scan: string
  chain_id: string
  /** Empty if none is known. */
  lighthouse_contract_address: string
  usdc_contract_address: string
  usdc_contract_decimal: number
  usdt_contract_address: string
  usdt_contract_decimal: number
  dai_contract_address: string
  dai_contract_decimal: number
}

/** The stablecoins that published clients have fields for. */
export const publishedCoins = ['usdc', 'usdt', 'dai'] as const satisfies readonly Stablecoin[]

function describeNetworks(): Record<string, LighthouseNetwork> {
  return Object.fromEntries(
    Object.values(networks).map(({ name, symbol, nativeDecimals, rpcUrl, transactionUrl, chainId, tokens }) => {
      // Published clients use one contract per coin.
      const addressOf = ({ contracts }: NetworkCoin) =>
        (contracts.find(({ isPublished }) => isPublished) ?? contracts[0])?.address ?? ''
      return [
        name,
        {
          symbol,
          native_decimal: nativeDecimals,
          rpc: rpcUrl,
          scan: transactionUrl,
          chain_id: String(chainId),
          lighthouse_contract_address: '',
          usdc_contract_address: addressOf(tokens.usdc),
          usdc_contract_decimal: tokens.usdc.decimals,
          usdt_contract_address: addressOf(tokens.usdt),
          usdt_contract_decimal: tokens.usdt.decimals,
          dai_contract_address: addressOf(tokens.dai),
          dai_contract_decimal: tokens.dai.decimals,
        },
      ]
    }),
  )
}

const config = {
  /** Accounts, listings, file info. */
  lighthouseAPI: 'http://127.0.0.1:8080',
  /** Uploads. */
  lighthouseNode: 'http://127.0.0.1:8080',
  /** Downloads. */
  lighthouseGateway: 'http://127.0.0.1:8081',
  /** The router of the key nodes. */
  lighthouseAuthNode: 'http://127.0.0.1:9000',
  /** The same under the name that the published SDK has for it: setting one sets both. */
  get lighthouseBLSNode(): string {
    return this.lighthouseAuthNode
  },
  set lighthouseBLSNode(url: string) {
    this.lighthouseAuthNode = url
  },
  /** Default chain for payments. */
  network: String(defaultNetwork),
  /** Pause in ms after each of the five calls of a change. */
  keyNodePauseMs,
  /** Chains for payments, by name; add your own. */
  networks: describeNetworks(),
}

/** Also exposes each known chain as a property of the configuration: the same object as in `networks`. */
function addEntries(whole: typeof config): asserts whole is typeof config & Record<NetworkName, LighthouseNetwork> {
  for (const name of Object.keys(networks)) {
    Object.defineProperty(whole, name, {
      enumerable: true,
      get: () => whole.networks[name],
      set: (network: LighthouseNetwork) => {
        whole.networks[name] = network
      },
    })
  }
}
addEntries(config)

/** Hosts and defaults of the drop-in. Change them before the first call, as with the published module. */
export const lighthouseConfig = config

/**
 * Returns a chain by name, case-insensitive.
 * @throws CairnError UNSUPPORTED_NETWORK
 */
export function findNetwork(name: string): LighthouseNetwork {
  const found = lighthouseConfig.networks[name.toLowerCase()]
  if (found !== undefined) return found
  throw new CairnError('UNSUPPORTED_NETWORK', { details: { networks: Object.keys(lighthouseConfig.networks) } })
}
