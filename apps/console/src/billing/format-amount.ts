import { formatUnits, withoutTrailing } from '@cairn/protocol'
import { formatDecimal } from '../messages/format.ts'

/** Digits behind the point of a chain's own coin. */
export const chainDecimals = 18

/** An amount with at most four decimals, rounded down, so that it never shows more than there is. */
export function formatAmount(units: bigint, decimals: number): string {
  const [whole = '0', fraction = ''] = formatUnits(units, decimals).split('.')
  const shown = withoutTrailing(fraction.slice(0, 4), '0')
  if (whole === '0' && shown === '' && units > 0n) return `< ${formatDecimal('0.0001')}`
  return shown === '' ? whole : formatDecimal(`${whole}.${shown}`)
}
