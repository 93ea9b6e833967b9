import {
  CairnError,
  type ChainProfile,
  coinPriceOf,
  isPrivateKey,
  oneDollar,
  priceInUnits,
  restoreError,
} from '@cairn/protocol'
import type { EIP1193Provider } from 'viem'
import { measure, openPath } from '#platform/local-files'
import type { PaySigner } from '../payments/chain-wallet.ts'
import { authorizeOnce } from '../payments/one-time.ts'
import { pay } from '../payments/pay.ts'
import { getStoragePrice, getTickerPrice, isCoin } from '../payments/price.ts'
import { clientOf } from './client.ts'
import { findNetwork, type LighthouseNetwork, publishedCoins } from './config.ts'
import { filesOf } from './upload.ts'

/** The fields of a transaction that programs read, in the format of the published module. */
export type FundedTransaction = { hash: string; from: string; to: string; chainId: bigint; wait(): Promise<void> }

/**
 * Returns the price in the smallest units of a coin, for at least 1 MiB, as the operator set it. The published module
 * always computes with 0.00390625 USD per MiB.
 * @param pathOrSize a path (Node), bytes, or files of a browser
 * @param token `usdc`, `usdt` or `dai`; any other value means the native coin of the chain
 * @throws CairnError TOKEN_NOT_PROVIDED, UNSUPPORTED_NETWORK, PRICE_UNKNOWN (`Failed to get ticker price: …`)
 */
export async function getPrice(
  pathOrSize: string | number | ArrayLike<{ size: number }>,
  network: string,
  token?: string,
): Promise<bigint> {
  if (!network) throw new CairnError('TOKEN_NOT_PROVIDED')
  const about = findNetwork(network)
  const size = await sizeOf(pathOrSize)
  const coin = publishedCoins.find((one) => one === token?.toLowerCase())
  const client = clientOf()
  const perGib = await getStoragePrice(client)
  if (coin !== undefined) return priceInUnits(size, about[`${coin}_contract_decimal`], oneDollar, perGib)
  let usd: number
  try {
    usd = await getTickerPrice(client, about.symbol)
  } catch (error) {
    const cause = CairnError.from(error)
    throw restoreError(cause.code, {
      message: `Failed to get ticker price: ${cause.message}`,
      details: cause.details,
      cause,
    })
  }
  return priceInUnits(size, about.native_decimal, coinPriceOf(usd), perGib)
}

/** Counts all files of a folder; the published module measures the directory entry itself. */
async function sizeOf(pathOrSize: string | number | ArrayLike<{ size: number }>): Promise<number> {
  if (typeof pathOrSize === 'number') return pathOrSize
  if (pathOrSize instanceof Blob) return pathOrSize.size
  if (typeof pathOrSize !== 'string') return filesOf(pathOrSize).reduce((sum, file) => sum + file.size, 0)
  const found = await openPath(pathOrSize)
  if (found.kind === 'file') return found.file.sizeBytes ?? (await measure(found.file))
  let size = 0
  for await (const file of found.files()) size += file.sizeBytes ?? (await measure(file))
  return size
}

/**
 * Pays an amount, in the smallest units of a coin, to the payment contract of a network, and returns once it is in a
 * block.
 * @param token `native`, `usdc`, `usdt` or `dai`
 * @param privateKey defaults to the wallet of the browser
 * @throws CairnError INVALID_PRIVATE_KEY (`Private Key not found!!!`), UNSUPPORTED_NETWORK, and those of `pay`
 */
export async function fund(
  amount: number | bigint | string,
  network: string,
  token: string,
  privateKey?: string,
): Promise<FundedTransaction> {
  const signer = findSigner(privateKey)
  const about = findNetwork(network)
  const coin = token.toLowerCase()
  if (!isCoin(coin)) throw new CairnError('TOKEN_NOT_SUPPORTED')
  const chain = toChain(network, about)
  const client = clientOf()
  const payable = { ...client, network: { ...client.network, chains: [chain] } }
  const { txHash, payer } = await pay(payable, signer, { coin, units: BigInt(amount), network: chain.name })
  return {
    hash: txHash,
    from: payer,
    to: about.lighthouse_contract_address,
    chainId: BigInt(chain.chainId),
    // The transaction is already in a block.
    wait: async () => undefined,
  }
}

function findSigner(privateKey: string | undefined): PaySigner {
  if (privateKey !== undefined && isPrivateKey(privateKey)) return { privateKey }
  const provider: unknown = Reflect.get(globalThis, 'ethereum')
  if (privateKey === undefined && isProvider(provider)) return { provider }
  throw new CairnError('INVALID_PRIVATE_KEY', { message: 'Private Key not found!!!' })
}

function isProvider(value: unknown): value is EIP1193Provider {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'
}

function toChain(name: string, about: LighthouseNetwork): ChainProfile {
  const tokens = publishedCoins.flatMap((coin) => {
    const address = about[`${coin}_contract_address`]
    return address === '' ? [] : [[coin, { address, decimals: about[`${coin}_contract_decimal`] }] as const]
  })
  return {
    name: name.toLowerCase(),
    rpcUrl: about.rpc,
    chainId: Number(about.chain_id),
    symbol: about.symbol,
    nativeDecimals: about.native_decimal,
    ...(about.lighthouse_contract_address === '' ? {} : { paymentContract: about.lighthouse_contract_address }),
    tokens: Object.fromEntries(tokens),
  }
}

/**
 * Authorises one upload with a wallet.
 * @returns `address$signature`, valid once instead of an API key
 * @throws CairnError INVALID_PRIVATE_KEY (`Private key not provided!!!`)
 */
export async function oneTimeAuth(privateKey?: string): Promise<string> {
  if (privateKey === undefined || !isPrivateKey(privateKey)) {
    throw new CairnError('INVALID_PRIVATE_KEY', { message: 'Private key not provided!!!' })
  }
  return authorizeOnce(clientOf(), { privateKey })
}
