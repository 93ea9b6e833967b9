const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** Bytes for people: steps of 1,024, three digits. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const digits =
    unit === 0
      ? String(Math.round(value))
      : value < 9.995
        ? value.toFixed(2)
        : value < 99.95
          ? value.toFixed(1)
          : value.toFixed(0)
  return `${digits} ${units[unit] ?? ''}`
}

/** A span of time for people: `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
