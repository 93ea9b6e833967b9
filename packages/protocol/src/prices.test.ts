import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GIB, MIB } from './limits.ts'
import { networks, stablecoins } from './networks/networks.ts'
import { billedBytes, bytesForUnits, coinPriceOf, formatUnits, oneDollar, parseUnits, priceInUnits } from './prices.ts'

test('computes prices as published clients do', () => {
  expect(priceInUnits(1024, 6)).toBe(3906n)
  expect(priceInUnits(3 * MIB, 6)).toBe(11719n)
  expect(priceInUnits(1, 18)).toBe(3906250000000000n)
  expect(priceInUnits(1, 18, coinPriceOf(4.2))).toBe(930059523809524n)
  expect(priceInUnits(GIB, 6)).toBe(4_000_000n)
  expect(priceInUnits(GIB, 6, oneDollar, coinPriceOf(0.25))).toBe(250_000n)
  expect(bytesForUnits(250_000n, 6, oneDollar, coinPriceOf(0.25))).toBe(BigInt(GIB) + 2_147n)
})

test('buys at least the bytes that were paid for: every size up to 1 TiB, every coin', () => {
  const sizes = fc.integer({ min: 0, max: 1024 * GIB })
  const prices = fc.double({ min: 1e-6, max: 1e6, noNaN: true }).map(coinPriceOf)
  fc.assert(
    fc.property(sizes, fc.constantFrom(6, 18), (size, decimals) => {
      const bought = bytesForUnits(priceInUnits(size, decimals), decimals)
      expect(bought).toBeGreaterThanOrEqual(billedBytes(size))
      // The surplus never exceeds the value of a unit.
      expect(bought - billedBytes(size)).toBeLessThanOrEqual(decimals === 6 ? 269n : 0n)
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(sizes, prices, (size, price) => {
      const billed = billedBytes(size)
      const bought = bytesForUnits(priceInUnits(size, 18, price), 18, price)
      expect(bought).toBeGreaterThanOrEqual(billed)
      expect(bought - billed).toBeLessThanOrEqual(1n)
    }),
    { numRuns: 2000 },
  )
})

test('a price in floating-point numbers, as published clients compute it, buys its size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1024 * GIB }), fc.integer({ min: 1, max: 1e13 }), (size, price) => {
      const ticker = price / 1e8
      const usd = (Math.max(size, MIB) / MIB) * 0.00390625
      const text = (usd / ticker).toFixed(18)
      const units = parseUnits(text, 18)
      fc.pre(units > 10n ** 10n)
      expect(bytesForUnits(units, 18, { price: BigInt(price), decimals: 8 })).toBeGreaterThanOrEqual(billedBytes(size))
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1024 * GIB }), (size) => {
      const usd = (Math.max(size, MIB) / MIB) * 0.00390625
      expect(bytesForUnits(parseUnits(usd.toFixed(6), 6), 6)).toBeGreaterThanOrEqual(billedBytes(size))
    }),
    { numRuns: 2000 },
  )
})

const exbibyte = 1n << 60n
const everyCoin = Object.values(networks).flatMap((network) => [
  { name: `${network.name}, native`, decimals: network.nativeDecimals, isNative: true },
  ...stablecoins.map((coin) => ({
    name: `${network.name}, ${coin}`,
    decimals: network.tokens[coin].decimals,
    isNative: false,
  })),
])

test.each(everyCoin)(
  '$name: prices every size from 0 bytes to 1 EiB like exact rationals',
  ({ decimals, isNative }) => {
    const sizes = fc.bigInt({ min: 0n, max: exbibyte })
    const feeds = fc.record({
      price: fc.bigInt({ min: 1n, max: 10n ** 20n }),
      decimals: fc.integer({ min: 0, max: 18 }),
    })
    fc.assert(
      fc.property(sizes, feeds, (size, feed) => {
        const price = isNative ? feed : { price: 1n, decimals: 0 }
        const units = priceInUnits(size, decimals, price)
        // In whole dollars: billed / (256 MiB) = units / 10^decimals × price / 10^feed, both sides without a fraction.
        const billed = size > BigInt(MIB) ? size : BigInt(MIB)
        const due = billed * 10n ** BigInt(decimals) * 10n ** BigInt(price.decimals)
        const unit = 268_435_456n * price.price
        const difference = units * unit - due
        // The nearest unit; the upper one in a tie.
        expect(2n * difference <= unit && 2n * difference > -unit).toBe(true)
        // The credit exceeds the debt by at most half a unit and a byte, and is never below it.
        const bought = bytesForUnits(units, decimals, price)
        if (units > 0n) expect(bought).toBeGreaterThanOrEqual(billed)
        const above = (bought - billed) * 10n ** BigInt(decimals) * 10n ** BigInt(price.decimals)
        expect(above <= unit + 10n ** BigInt(decimals + price.decimals)).toBe(true)
      }),
      {
        numRuns: 300,
        examples: [
          [0n, { price: 4_20000000n, decimals: 8 }],
          [exbibyte, { price: 1n, decimals: 0 }],
          [BigInt(MIB), { price: 7n, decimals: 3 }],
          [BigInt(MIB) + 1n, { price: 7n, decimals: 3 }],
        ],
      },
    )
  },
)

test('zero buys nothing; rejects invalid sizes and prices', () => {
  expect(bytesForUnits(0n, 6)).toBe(0n)
  expect(bytesForUnits(-1n, 6)).toBe(0n)
  for (const size of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => priceInUnits(size, 6)).toThrow(RangeError)
  expect(() => priceInUnits(1, 18, { price: 0n, decimals: 8 })).toThrow(RangeError)
  for (const usd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => coinPriceOf(usd)).toThrow(RangeError)
})

test('writes and reads units exactly', () => {
  expect(formatUnits(1_500_000n, 6)).toBe('1.5')
  expect(formatUnits(3906n, 6)).toBe('0.003906')
  expect(formatUnits(-5n, 0)).toBe('-5')
  expect(parseUnits('1.50', 6)).toBe(1_500_000n)
  for (const text of ['', '1.', '.5', '1e3', '-1', '0.0000001', '0x1', '1,5'])
    expect(() => parseUnits(text, 6)).toThrow(RangeError)
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      expect(parseUnits(formatUnits(units, decimals), decimals)).toBe(units)
    }),
  )
  expect(coinPriceOf(1e-7)).toEqual({ price: 1n, decimals: 7 })
  expect(coinPriceOf(1.5e21)).toEqual({ price: 1500000000000000000000n, decimals: 0 })
})
