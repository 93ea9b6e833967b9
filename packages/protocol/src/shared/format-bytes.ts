const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** Formats bytes for people in steps of 1,024 with three digits: `1.50 GiB`. Amounts of the ledger may be negative. */
export function formatBytes(bytes: number): string {
  let value = Math.abs(bytes)
  let unit = 0
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const decimals = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return `${bytes < 0 ? '-' : ''}${value.toFixed(decimals)} ${units[unit] ?? ''}`
}
