/** Maximum digits of an amount. */
const maxDigits = 78

/** Converts an amount to smallest units: `1.5` with 18 decimals. Undefined for an invalid amount. */
export function toUnits(text: string, decimals: number): string | undefined {
  const match = /^(\d{0,78})(?:\.(\d{0,78}))?$/.exec(text.trim().replace(/[\s,_](?=\d{3})/g, ''))
  if (match === null) return undefined
  const [, whole = '', part = ''] = match
  if (whole === '' && part === '') return undefined
  const fraction = part.replace(/0+$/, '')
  if (fraction.length > decimals) return undefined
  const units = (whole + fraction.padEnd(decimals, '0')).replace(/^0+(?=\d)/, '')
  return units.length > maxDigits ? undefined : units
}

/** Formats an amount in smallest units; returns the text itself if it is not a whole number. */
export function fromUnits(units: string, decimals: number): string {
  if (!/^\d+$/.test(units)) return units
  const padded = units.padStart(decimals + 1, '0')
  const whole = padded.slice(0, padded.length - decimals)
  const fraction = padded.slice(padded.length - decimals).replace(/0+$/, '')
  return `${whole.replace(/^0+(?=\d)/, '')}${fraction === '' ? '' : `.${fraction}`}`
}
