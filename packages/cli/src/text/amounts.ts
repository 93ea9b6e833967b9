import { formatUnits, type NetworkProfile, tokensOf } from '@cairn/sdk'

/** An amount in the smallest units of a coin, as services report it; with network and contract, if they do. */
export type Amount = { coin: string; units: string; network?: string; token?: string }

/**
 * Formats an amount for people, such as `1.5 USDC`. A coin that the network profile does not list keeps its smallest
 * units.
 */
export function describeAmount({ chain, chains }: NetworkProfile, { coin, units, network, token }: Amount): string {
  const all = chains ?? (chain === undefined ? [] : [chain])
  const found = network === undefined ? (chain ?? all[0]) : all.find(({ name }) => name === network)
  if (found !== undefined && coin === 'native')
    return `${formatUnits(BigInt(units), found.nativeDecimals)} ${found.symbol}`
  const tokens = found === undefined ? [] : tokensOf(found, coin)
  const exact = tokens.find(({ address }) => address.toLowerCase() === token?.toLowerCase())
  const known = exact ?? (token === undefined ? tokens[0] : undefined)
  if (known === undefined) return `${units} units of ${coin || token || 'an unknown token'}`
  return `${formatUnits(BigInt(units), known.decimals)} ${known.symbol}`
}
