const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** Formats bytes for people: three digits and a binary unit. Amounts of the ledger may be negative. */
export function formatBytes(bytes: number): string {
  let value = Math.abs(bytes)
  let unit = 0
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit === 0 ? String(value) : value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  return `${bytes < 0 ? '-' : ''}${digits} ${units[unit] ?? ''}`
}
