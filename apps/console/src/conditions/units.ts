import { withoutTrailing } from '@cairn/protocol'
import { decimalSign } from '../messages/format.ts'

/** Maximum digits of an amount. */
const maxDigits = 78

/** A whole part in groups of three digits, by the sign between whole and fraction. */
const grouped = { '.': /^[1-9]\d{0,2}(?:[\s,_]\d{3})+$/, ',': /^[1-9]\d{0,2}(?:[\s._]\d{3})+$/ }

/**
 * Converts an amount to smallest units: `1.5` with 18 decimals. Undefined for an invalid amount.
 * @param sign between whole and fraction; the language of the page decides whether `1,500` is more or less than two
 */
export function toUnits(text: string, decimals: number, sign: '.' | ',' = decimalSign): string | undefined {
  const [written = '', part = '', ...rest] = text.trim().split(sign)
  // Anything else between digits is no group: `0.1234` with a decimal comma would be 1234.
  const whole = grouped[sign].test(written) ? written.replace(/\D/g, '') : written
  if (rest.length > 0 || !/^\d{1,156}$/.test(whole + part)) return undefined
  const fraction = withoutTrailing(part, '0')
  if (fraction.length > decimals) return undefined
  const units = (whole + fraction.padEnd(decimals, '0')).replace(/^0+(?=\d)/, '')
  return units.length > maxDigits ? undefined : units
}

/** Formats an amount in smallest units; returns the text itself if it is not a whole number. */
export function fromUnits(units: string, decimals: number): string {
  if (!/^\d+$/.test(units)) return units
  const padded = units.padStart(decimals + 1, '0')
  const whole = padded.slice(0, padded.length - decimals)
  const fraction = withoutTrailing(padded.slice(padded.length - decimals), '0')
  return `${whole.replace(/^0+(?=\d)/, '')}${fraction === '' ? '' : `${decimalSign}${fraction}`}`
}
