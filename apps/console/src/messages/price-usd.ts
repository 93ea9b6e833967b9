import { GIB, minBilledBytes, publishedUsdPerGib } from '@cairn/protocol'
import type { NetworkProfile } from '@cairn/sdk'

/**
 * Returns about how many US dollars a size costs, by the price that this page was loaded with. The SDK computes what is
 * paid, at the current price.
 */
export function priceUsd(
  { usdPerGib = publishedUsdPerGib }: Pick<NetworkProfile, 'usdPerGib'>,
  sizeBytes: number,
): number {
  return (Math.max(sizeBytes, minBilledBytes) / GIB) * usdPerGib
}
