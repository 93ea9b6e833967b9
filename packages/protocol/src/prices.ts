import { GIB, minBilledBytes, publishedUsdPerGib } from './limits.ts'
import { withoutTrailing } from './shared/without-trailing.ts'

// Money is counted in integers: the smallest units of a coin, and prices in the precision of a feed.

const gib = BigInt(GIB)
const minBilled = BigInt(minBilledBytes)
const notASize = 'A size must be a whole number of bytes. Use a bigint beyond 2^53'

/** Price of one whole coin in US dollars: `price / 10^decimals`. A stablecoin is one dollar. */
export type CoinPrice = { price: bigint; decimals: number }

/** One dollar per coin. */
export const oneDollar: CoinPrice = { price: 1n, decimals: 0 }

/** Dollars per GiB that published clients compute with: 0.00390625 per MiB. */
export const publishedPrice: CoinPrice = { price: BigInt(publishedUsdPerGib), decimals: 0 }

/**
 * Returns the billed bytes of a size: at least 1 MiB.
 * @throws RangeError unless `sizeBytes` is a whole number, 0 or more
 */
export function billedBytes(sizeBytes: number | bigint): bigint {
  if (typeof sizeBytes === 'number' && !Number.isSafeInteger(sizeBytes)) throw new RangeError(notASize)
  const bytes = BigInt(sizeBytes)
  if (bytes < 0n) throw new RangeError(notASize)
  return bytes > minBilled ? bytes : minBilled
}

/**
 * Returns the price of storage in the smallest units of a coin, to the nearest unit, for at least 1 MiB.
 * @param decimals of the coin
 * @param perGib dollars per GiB
 * @throws RangeError for an invalid size, or a price that is not positive
 */
export function priceInUnits(
  sizeBytes: number | bigint,
  decimals: number,
  coin: CoinPrice = oneDollar,
  perGib: CoinPrice = publishedPrice,
): bigint {
  if (coin.price <= 0n) throw new RangeError('A price must be positive')
  const numerator = billedBytes(sizeBytes) * perGib.price * 10n ** BigInt(decimals + coin.decimals)
  const denominator = gib * coin.price * 10n ** BigInt(perGib.decimals)
  return (2n * numerator + denominator) / (2n * denominator)
}

/**
 * Returns the bytes that an amount buys. Adds half a unit, because prices are rounded to whole units: a price computed
 * by {@link priceInUnits} always buys the size it was computed for. Rounds to the nearest byte for coins with a price
 * feed, whose quotes passed through floating point numbers in published clients.
 * @param units smallest units of the coin, more than 0
 * @param decimals of the coin
 * @param perGib dollars per GiB
 */
export function bytesForUnits(
  units: bigint,
  decimals: number,
  coin: CoinPrice = oneDollar,
  perGib: CoinPrice = publishedPrice,
): bigint {
  if (units <= 0n || coin.price <= 0n) return 0n
  const numerator = (2n * units + 1n) * coin.price * gib * 10n ** BigInt(perGib.decimals)
  const denominator = 2n * 10n ** BigInt(decimals + coin.decimals) * perGib.price
  return coin.decimals === 0 ? numerator / denominator : (2n * numerator + denominator) / (2n * denominator)
}

/** Formats units as a decimal number of whole coins: 1500000 with 6 decimals is `1.5`. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = withoutTrailing(digits.slice(digits.length - decimals), '0')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Parses a decimal number of whole coins.
 * @throws RangeError for anything else, or more decimals than the coin has
 */
export function parseUnits(text: string, decimals: number): bigint {
  const found = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text.trim())
  const fraction = withoutTrailing(found?.[2] ?? '', '0')
  if (found?.[1] === undefined || fraction.length > decimals) {
    throw new RangeError(`An amount must be a decimal number with at most ${decimals} decimals`)
  }
  return BigInt(found[1] + fraction.padEnd(decimals, '0'))
}

/**
 * Converts a price in dollars from a JSON number, exactly as written.
 * @throws RangeError unless positive
 */
export function coinPriceOf(usd: number): CoinPrice {
  if (!Number.isFinite(usd) || usd <= 0) throw new RangeError('A price must be a positive number of dollars')
  const [mantissa = '', exponent = '0'] = String(usd).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const decimals = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return decimals >= 0 ? { price: digits, decimals } : { price: digits * 10n ** BigInt(-decimals), decimals: 0 }
}
