import { CairnError, type ChainProfile, isEvmAddress } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { PayEvent, PaySigner } from './chain-wallet.ts'
import { type Coin, findChain, getPrice, noSuchCoin } from './price.ts'

export type { PayEvent, PaySigner } from './chain-wallet.ts'

/** What is to be paid: for so many bytes, or an amount. */
export type PayWish = {
  /** Bytes to buy; their price is asked for. */
  sizeBytes?: number
  /** Smallest units of the coin, in place of `sizeBytes`. */
  units?: bigint
  coin?: Coin
  /** Name of the chain; the network's first one unless told. */
  network?: string
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
  units: bigint
  /** Who paid, and whose account it is for. */
  payer: string
  beneficiary: string
}

/**
 * Pays for storage from a wallet, in the chain's own coin or a stablecoin: approves exactly the amount where that is needed,
 * pays, and waits until the transaction is in a block.
 * @throws CairnError UNSUPPORTED_NETWORK, TOKEN_NOT_SUPPORTED, PRICE_UNKNOWN, INSUFFICIENT_FUNDS, PAYMENT_REJECTED (by the
 *   wallet's owner), PAYMENT_FAILED (with the transaction in `details`, where there is one), INVALID_ADDRESS, ABORTED
 */
export async function pay(
  client: Client,
  signer: PaySigner,
  wish: PayWish,
  options: PayOptions = {},
): Promise<PaidTransaction> {
  const { coin = 'native', beneficiary } = wish
  const chain = requirePayable(findChain(client, wish.network))
  if (coin !== 'native' && chain.tokens[coin] === undefined) throw noSuchCoin(chain, coin)
  if (beneficiary !== undefined && !isEvmAddress(beneficiary)) throw new CairnError('INVALID_ADDRESS')
  const units = wish.units ?? (await priceOf(client, chain, wish, options.signal))
  if (units <= 0n) throw new CairnError('INVALID_REQUEST', { message: 'An amount is more than nothing' })
  // What talks to chains is loaded by those who pay.
  const { openChainWallet } = await import('./chain-wallet.ts')
  const wallet = await openChainWallet(chain, signer, options)
  const txHash = await wallet.pay({ coin, units, ...(beneficiary === undefined ? {} : { beneficiary }) })
  return {
    network: chain.name,
    chainId: chain.chainId,
    txHash,
    coin,
    units,
    payer: wallet.address.toLowerCase(),
    beneficiary: (beneficiary ?? wallet.address).toLowerCase(),
  }
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
