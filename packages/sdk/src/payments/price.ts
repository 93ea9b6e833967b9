import {
  CairnError,
  type ChainProfile,
  type CoinPrice,
  coinPriceOf,
  formatUnits,
  getNetworkProfile,
  getTicker,
  isNetworkName,
  networks,
  oneDollar,
  priceInUnits,
  publishedPrice,
  type Stablecoin,
  stablecoins,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Coin of a payment: the native coin of the chain, or a stablecoin. */
export type Coin = 'native' | Stablecoin

/** Price of storage in one coin. */
export type Price = {
  network: string
  coin: Coin
  /** Symbol to display: ETH, USDC. */
  symbol: string
  /** Amount to pay, in smallest units. */
  units: bigint
  decimals: number
  /** The same in whole coins, to display. */
  amount: string
  /** The same in US dollars, to display. */
  usd: number
}

/**
 * Returns a chain that accepts payments, by its name. Defaults to the first of the network.
 * @throws CairnError UNSUPPORTED_NETWORK
 */
export function findChain(client: Client, name?: string): ChainProfile {
  const chains = client.network.chains ?? (client.network.chain === undefined ? [] : [client.network.chain])
  const found = name === undefined ? chains[0] : chains.find((chain) => chain.name === name)
  if (found !== undefined) return found
  throw new CairnError('UNSUPPORTED_NETWORK', {
    details: { networks: chains.map((chain) => chain.name) },
    ...(chains.length === 0
      ? { hint: 'This network does not accept payments, because its profile has no chains.' }
      : {}),
  })
}

/** Returns symbol and decimals of a coin on a known chain, whether or not this network accepts payments there. */
function describeCoin(client: Client, name: string | undefined, coin: Coin) {
  const isTaken = name === undefined || (client.network.chains ?? []).some((chain) => chain.name === name)
  if (isTaken || !isNetworkName(name)) {
    const chain = findChain(client, name)
    const token = chain.tokens[coin]
    if (coin === 'native') return { network: chain.name, symbol: chain.symbol, decimals: chain.nativeDecimals }
    if (token === undefined) throw noSuchCoin(chain, coin)
    return { network: chain.name, symbol: coin.toUpperCase(), decimals: token.decimals }
  }
  const network = networks[name]
  return coin === 'native'
    ? { network: name, symbol: network.symbol, decimals: network.nativeDecimals }
    : { network: name, symbol: coin.toUpperCase(), decimals: network.tokens[coin].decimals }
}

export function noSuchCoin(chain: ChainProfile, coin: string): CairnError {
  return new CairnError('TOKEN_NOT_SUPPORTED', {
    message: `${coin} is not accepted on ${chain.name}`,
    details: { coins: ['native', ...Object.keys(chain.tokens)] },
  })
}

/**
 * Returns the price of storing the given bytes, at least 1 MiB, as the operator set it. It is valid for ten minutes. A
 * stablecoin counts as one dollar.
 * @throws CairnError UNSUPPORTED_NETWORK, TOKEN_NOT_SUPPORTED, PRICE_UNKNOWN, RangeError for an invalid size
 */
export async function getPrice(
  client: Client,
  sizeBytes: number | bigint,
  { network, coin = 'native' }: { network?: string; coin?: Coin } = {},
  options?: CallOptions,
): Promise<Price> {
  const about = describeCoin(client, network, coin)
  const [perGib, coinPrice] = await Promise.all([
    getStoragePrice(client, options),
    coin === 'native' ? getCoinPrice(client, about.symbol, options) : oneDollar,
  ])
  const units = priceInUnits(sizeBytes, about.decimals, coinPrice, perGib)
  const usd = Number(priceInUnits(sizeBytes, usdDecimals, oneDollar, perGib)) / 10 ** usdDecimals
  return { ...about, coin, units, amount: formatUnits(units, about.decimals), usd }
}

const usdDecimals = 6

/** Returns the price of a coin, to compute with. */
export async function getCoinPrice(client: Client, symbol: string, options?: CallOptions): Promise<CoinPrice> {
  return coinPriceOf(await getTickerPrice(client, symbol, options))
}

/** Returns the current dollars per GiB: a profile that was read earlier may be outdated. */
export async function getStoragePrice(client: Client, options?: CallOptions): Promise<CoinPrice> {
  const { usdPerGib } = await call(client, getNetworkProfile, {}, options)
  return usdPerGib === undefined ? publishedPrice : coinPriceOf(usdPerGib)
}

/**
 * Returns the price of one coin in US dollars.
 * @throws CairnError PRICE_UNKNOWN
 */
export function getTickerPrice(client: Client, symbol: string, options?: CallOptions): Promise<number> {
  return call(client, getTicker, { query: { symbol } }, options)
}

/** Returns whether a text names a coin. */
export function isCoin(text: unknown): text is Coin {
  return text === 'native' || stablecoins.some((coin) => coin === text)
}
