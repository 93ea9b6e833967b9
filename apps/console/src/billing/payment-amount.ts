import { formatUnits, isNetworkName, networks } from '@cairn/protocol'
import type { NetworkProfile, Payment } from '@cairn/sdk'
import { formatDecimal, formatUsd, withUnit } from '../messages/format.ts'

/** Formats an amount such as `1.5 USDC`; an unknown coin in its smallest units. */
export function describeAmount(payment: Pick<Payment, 'coin' | 'units' | 'network'>, profile: NetworkProfile): string {
  const about = findCoin(payment, profile)
  const { coin, units } = payment
  return about === undefined
    ? withUnit(units, coin)
    : withUnit(formatDecimal(formatUnits(BigInt(units), about.decimals)), about.symbol)
}

/** Returns the value of a payment in dollars when it was credited; undefined if that is not known. */
export function describeValue(
  payment: Pick<Payment, 'coin' | 'units' | 'network' | 'price'>,
  profile: NetworkProfile,
): string | undefined {
  const about = findCoin(payment, profile)
  const { units, price } = payment
  return about === undefined || price === null
    ? undefined
    : formatUsd(Number(formatUnits(BigInt(units), about.decimals)) * Number(price))
}

function findCoin(
  { coin, network }: Pick<Payment, 'coin' | 'network'>,
  { chain, chains = chain === undefined ? [] : [chain] }: NetworkProfile,
): { symbol: string; decimals: number } | undefined {
  // A chain or coin that payments were made in once may not be accepted any more.
  const known = isNetworkName(network) ? networks[network] : undefined
  const found = chains.find(({ name }) => name === network) ?? known
  if (found === undefined) return undefined
  if (coin === 'native') return { symbol: found.symbol, decimals: found.nativeDecimals }
  const listed = Object.entries({ ...known?.tokens, ...found.tokens }).find(([name]) => name === coin)
  return listed === undefined ? undefined : { symbol: coin.toUpperCase(), decimals: listed[1].decimals }
}
