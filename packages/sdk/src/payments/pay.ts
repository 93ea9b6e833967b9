import { CairnError, type ChainProfile, isEvmAddress, type TokenProfile, tokensOf } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { PayEvent, PaySigner } from './chain-wallet.ts'
import { type Coin, findChain, getPrice, getTickerPrice, noSuchCoin } from './price.ts'

export type { PayEvent, PaySigner } from './chain-wallet.ts'

/** What is to be paid: for so many bytes, or an amount. */
export type PayWish = {
  /** Bytes to buy; their price is asked for. */
  sizeBytes?: number
  /** Smallest units of the coin, in place of `sizeBytes`. */
  units?: bigint
  coin?: Coin
  /** Name of the chain. Defaults to the network's first one. */
  network?: string
  /** Contract of the token, where a coin has several. Defaults to the first that the wallet has enough of. */
  token?: string
  /** Account that gets the storage; the payer's own unless told. */
  beneficiary?: string
}

export type PayOptions = {
  signal?: AbortSignal
  /** Told of each step: keep `txHash` as soon as it comes, so that a payment is never made twice. */
  onEvent?: (event: PayEvent) => void
}

/** A payment that the chain took. It is credited when its block is final: see `waitForCredit`. */
export type PaidTransaction = {
  network: string
  chainId: number
  txHash: string
  coin: Coin
  /** Contract of the token that was paid in; empty for the chain's own coin. */
  token: string
  units: bigint
  /** Who paid, and whose account it is for. */
  payer: string
  beneficiary: string
}

/**
 * Pays for storage from a wallet, in the chain's own coin or a stablecoin: approves exactly the amount where that is needed,
 * pays, and waits until the transaction is in a block.
 * @throws CairnError UNSUPPORTED_NETWORK, TOKEN_NOT_SUPPORTED, PRICE_UNKNOWN (also for a stablecoin that is not worth a dollar),
 *   INSUFFICIENT_FUNDS, PAYMENT_REJECTED (by the wallet's owner), PAYMENT_FAILED (with the transaction in `details`, if there is
 *   one), INVALID_ADDRESS, ABORTED
 */
export async function pay(
  client: Client,
  signer: PaySigner,
  wish: PayWish,
  options: PayOptions = {},
): Promise<PaidTransaction> {
  const { coin = 'native', beneficiary } = wish
  const chain = requirePayable(findChain(client, wish.network))
  const tokens = findTokens(chain, coin, wish.token)
  if (beneficiary !== undefined && !isEvmAddress(beneficiary)) throw new CairnError('INVALID_ADDRESS')
  const units = wish.units ?? (await priceOf(client, chain, wish, options.signal))
  if (units <= 0n) throw new CairnError('INVALID_REQUEST', { message: 'An amount is more than nothing' })
  // What talks to chains is loaded by those who pay.
  const { openChainWallet } = await import('./chain-wallet.ts')
  const wallet = await openChainWallet(chain, signer, options)
  const token = tokens === undefined ? undefined : await wallet.findToken(tokens, units)
  if (token !== undefined) await requireWorth(client, token, options.signal)
  const txHash = await wallet.pay({
    units,
    ...(token === undefined ? {} : { token }),
    ...(beneficiary === undefined ? {} : { beneficiary }),
  })
  return {
    network: chain.name,
    chainId: chain.chainId,
    txHash,
    coin,
    token: token?.address.toLowerCase() ?? '',
    units,
    payer: wallet.address.toLowerCase(),
    beneficiary: (beneficiary ?? wallet.address).toLowerCase(),
  }
}

/** The tokens that a coin can be paid in; undefined for the chain's own coin. @throws CairnError TOKEN_NOT_SUPPORTED */
function findTokens(chain: ChainProfile, coin: Coin, address: string | undefined): TokenProfile[] | undefined {
  if (coin === 'native' && address === undefined) return undefined
  const tokens = tokensOf(chain, coin).filter(
    (token) => address === undefined || token.address.toLowerCase() === address.toLowerCase(),
  )
  if (tokens.length === 0) throw noSuchCoin(chain, address ?? coin)
  return tokens
}

/** Refuses to pay in a token that the service would not credit now, before the wallet is asked. */
async function requireWorth(
  client: Client,
  { symbol, floor }: TokenProfile,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (floor === undefined) return
  const price = await getTickerPrice(client, floor.symbol, { signal })
  if (price >= floor.price) return
  throw new CairnError('PRICE_UNKNOWN', {
    message: `${symbol} is worth ${price} dollars, less than the ${floor.price} at which it counts as one`,
    hint: 'Pay in another coin, or wait: a payment now would be credited only once it is worth that again.',
    details: { symbol, price, floor: floor.price },
  })
}

async function priceOf(
  client: Client,
  chain: ChainProfile,
  { sizeBytes, coin = 'native' }: PayWish,
  signal: AbortSignal | undefined,
): Promise<bigint> {
  if (sizeBytes === undefined) {
    throw new CairnError('INVALID_REQUEST', { message: 'Say how many bytes to buy, or an amount' })
  }
  return (await getPrice(client, sizeBytes, { network: chain.name, coin }, { signal })).units
}

function requirePayable(chain: ChainProfile): ChainProfile & { paymentContract: string } {
  const { paymentContract } = chain
  if (paymentContract !== undefined) return { ...chain, paymentContract }
  throw new CairnError('UNSUPPORTED_NETWORK', { message: `There is no payment contract on ${chain.name}` })
}
