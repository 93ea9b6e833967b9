import {
  bytesForUnits,
  CairnError,
  type ChainProfile,
  formatBytes,
  isEvmAddress,
  maxPaymentBytes,
  oneDollar,
  type TokenProfile,
  tokensOf,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import type { PayOptions, PaySigner } from './pay-options.ts'
import { type Coin, findChain, getCoinPrice, getPrice, getStoragePrice, getTickerPrice, noSuchCoin } from './price.ts'

export type { PayEvent, PaySigner } from './chain-wallet.ts'
export type { PayOptions } from './pay-options.ts'

/** The amount to pay: by bytes, or in units of the coin. */
export type PaymentParams = {
  /** Bytes to buy, at their current price. */
  sizeBytes?: number
  /** Smallest units of the coin, instead of `sizeBytes`. */
  units?: bigint
  coin?: Coin
  /** Name of the chain. Defaults to the first of the network. */
  network?: string
  /** Contract of the token, if a coin has several. Defaults to the first that the wallet has enough of. */
  token?: string
  /** Account that receives the storage. Defaults to that of the payer. */
  beneficiary?: string
}

/** A payment in a block. It is credited when the block is final: see `waitForCredit`. */
export type PaidTransaction = {
  network: string
  chainId: number
  txHash: string
  coin: Coin
  /** Contract of the token; empty for the native coin of the chain. */
  token: string
  units: bigint
  /** The payer, and the account that receives the storage. */
  payer: string
  beneficiary: string
}

/**
 * Pays for storage from a wallet, in the native coin of the chain or a stablecoin: approves the exact amount if
 * required, pays, and waits until the transaction is in a block.
 * @throws CairnError UNSUPPORTED_NETWORK, TOKEN_NOT_SUPPORTED, PRICE_UNKNOWN (also for a stablecoin below a dollar),
 *   INSUFFICIENT_FUNDS, PAYMENT_REJECTED (by the user), PAYMENT_FAILED (once something was sent, with `txHash` or `batchId`
 *   in `details`, and as `outcome` `unpaid` or `unknown`), INVALID_ADDRESS, ABORTED
 */
export async function pay(
  client: Client,
  signer: PaySigner,
  params: PaymentParams,
  options: PayOptions = {},
): Promise<PaidTransaction> {
  // Programs without types pass nothing, or a number.
  const given = params ?? {}
  const { coin = 'native', beneficiary } = given
  const chain = requirePayable(client, findChain(client, given.network))
  const tokens = findTokens(chain, coin, given.token)
  if (beneficiary !== undefined && !isEvmAddress(beneficiary)) throw new CairnError('INVALID_ADDRESS')
  const units = given.units ?? (await priceOf(client, chain, given, options.signal))
  if (typeof units !== 'bigint' || units <= 0n)
    throw new CairnError('INVALID_REQUEST', { message: 'The amount must be a bigint greater than zero' })
  // The chain code loads with the first payment.
  const { openChainWallet } = await import('./chain-wallet.ts')
  const wallet = await openChainWallet(chain, signer, options)
  const token = tokens === undefined ? undefined : await wallet.findToken(tokens, units)
  if (token !== undefined) await requireWorth(client, token, options.signal)
  await requireCreditable(client, chain, token, units, options.signal)
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

/**
 * Returns the tokens accepted for a coin; undefined for the native coin of the chain.
 * @throws CairnError TOKEN_NOT_SUPPORTED
 */
function findTokens(chain: ChainProfile, coin: Coin, address: string | undefined): TokenProfile[] | undefined {
  if (coin === 'native' && address === undefined) return undefined
  const tokens = tokensOf(chain, coin).filter(
    (token) => address === undefined || token.address.toLowerCase() === address.toLowerCase(),
  )
  if (tokens.length === 0) throw noSuchCoin(chain, address ?? coin)
  return tokens
}

/** Rejects a token that the service would not credit now, before the wallet asks the user. */
async function requireWorth(
  client: Client,
  { symbol, floor }: TokenProfile,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (floor === undefined) return
  const price = await getTickerPrice(client, floor.symbol, { signal })
  if (price >= floor.price) return
  throw new CairnError('PRICE_UNKNOWN', {
    message: `${symbol} is worth ${price} dollars, the minimum to credit it is ${floor.price} dollars`,
    hint: 'Use another coin, or wait. A payment now is credited only after the price recovers.',
    details: { symbol, price, floor: floor.price },
  })
}

/** Rejects an amount that the service would not credit. A price that is not known now rejects nothing. */
async function requireCreditable(
  client: Client,
  chain: ChainProfile,
  token: TokenProfile | undefined,
  units: bigint,
  signal: AbortSignal | undefined,
): Promise<void> {
  const prices = await Promise.all([
    token === undefined ? getCoinPrice(client, chain.symbol, { signal }) : oneDollar,
    getStoragePrice(client, { signal }),
  ]).catch(() => undefined)
  throwIfAborted(signal)
  if (prices === undefined) return
  const bytes = bytesForUnits(units, token?.decimals ?? chain.nativeDecimals, ...prices)
  if (bytes > 0n && bytes <= BigInt(maxPaymentBytes)) return
  const buys = bytes === 0n ? 'nothing' : `more than ${formatBytes(maxPaymentBytes)}, the maximum for one payment`
  throw new CairnError('INVALID_REQUEST', {
    message: `The payment buys ${buys}`,
    hint: `Pay a ${bytes === 0n ? 'larger' : 'smaller'} amount. Nothing was paid.`,
  })
}

async function priceOf(
  client: Client,
  chain: ChainProfile,
  { sizeBytes, coin = 'native' }: PaymentParams,
  signal: AbortSignal | undefined,
): Promise<bigint> {
  if (sizeBytes === undefined) {
    throw new CairnError('INVALID_REQUEST', { message: 'Specify the bytes to buy, or an amount' })
  }
  return (await getPrice(client, sizeBytes, { network: chain.name, coin }, { signal })).units
}

function requirePayable(client: Client, chain: ChainProfile): ChainProfile & { paymentContract: string } {
  const { paymentContract } = chain
  if (hasContract(chain) && paymentContract !== undefined) return { ...chain, paymentContract }
  const payable = (client.network.chains ?? []).filter(hasContract)
  throw new CairnError('UNSUPPORTED_NETWORK', {
    message: `No payment contract is configured on ${chain.name}`,
    details: { networks: payable.map(({ name }) => name) },
  })
}

/** The zero address stands for a contract that was not deployed. */
function hasContract({ paymentContract }: ChainProfile): boolean {
  return paymentContract !== undefined && !/^0x0*$/.test(paymentContract)
}
