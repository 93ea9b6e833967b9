import { bytesPerUsd, leastBilledBytes } from './limits.ts'

// Money is counted in integers: the smallest units of a coin, and prices as they stand in a feed.

const bytesForOneUsd = BigInt(bytesPerUsd)
const leastBilled = BigInt(leastBilledBytes)
const notASize = 'A size is a whole number of bytes; beyond 2^53 a bigint'

/** US dollars for one whole coin: `price / 10^decimals`. A stablecoin is one dollar. */
export type CoinPrice = { price: bigint; decimals: number }

/** One dollar for one coin. */
export const oneDollar: CoinPrice = { price: 1n, decimals: 0 }

/** Bytes that are billed for so many: at least 1 MiB. @throws RangeError unless a whole number of bytes, 0 or more */
export function billedBytes(sizeBytes: number | bigint): bigint {
  if (typeof sizeBytes === 'number' && !Number.isSafeInteger(sizeBytes)) throw new RangeError(notASize)
  const bytes = BigInt(sizeBytes)
  if (bytes < 0n) throw new RangeError(notASize)
  return bytes > leastBilled ? bytes : leastBilled
}

/**
 * Price of storage in the smallest units of a coin, to the nearest unit, as published clients compute it: 0.00390625 USD
 * per MiB, at least 1 MiB.
 * @param decimals of the coin
 * @throws RangeError for a size that is none, or a price that is not positive
 */
export function priceInUnits(sizeBytes: number | bigint, decimals: number, coin: CoinPrice = oneDollar): bigint {
  if (coin.price <= 0n) throw new RangeError('A price is positive')
  const numerator = billedBytes(sizeBytes) * 10n ** BigInt(decimals) * 10n ** BigInt(coin.decimals)
  const denominator = bytesForOneUsd * coin.price
  return (2n * numerator + denominator) / (2n * denominator)
}

/**
 * Bytes that an amount buys. Half a unit is given on top, because prices are rounded to whole units: a price computed by
 * {@link priceInUnits} always buys what it was computed for. To the nearest byte for coins that are priced by a feed, whose
 * quotes went through floating point numbers in published clients.
 * @param units smallest units of the coin, more than 0
 * @param decimals of the coin
 */
export function bytesForUnits(units: bigint, decimals: number, coin: CoinPrice = oneDollar): bigint {
  if (units <= 0n || coin.price <= 0n) return 0n
  const numerator = (2n * units + 1n) * coin.price * bytesForOneUsd
  const denominator = 2n * 10n ** BigInt(decimals) * 10n ** BigInt(coin.decimals)
  return coin.decimals === 0 ? numerator / denominator : (2n * numerator + denominator) / (2n * denominator)
}

/** Writes units as a decimal number of whole coins: 1500000 with 6 decimals is `1.5`. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Reads a decimal number of whole coins. @throws RangeError for anything else, or more decimals than the coin has */
export function parseUnits(text: string, decimals: number): bigint {
  const found = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text.trim())
  const fraction = found?.[2]?.replace(/0+$/, '') ?? ''
  if (found?.[1] === undefined || fraction.length > decimals) {
    throw new RangeError(`An amount is a decimal number with at most ${decimals} decimals`)
  }
  return BigInt(found[1] + fraction.padEnd(decimals, '0'))
}

/** A price that came as a JSON number of dollars, exactly as it was written down. @throws RangeError unless positive */
export function coinPriceOf(usd: number): CoinPrice {
  if (!Number.isFinite(usd) || usd <= 0) throw new RangeError('A price is a positive number of dollars')
  const [mantissa = '', exponent = '0'] = String(usd).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const decimals = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return decimals >= 0 ? { price: digits, decimals } : { price: digits * 10n ** BigInt(-decimals), decimals: 0 }
}
