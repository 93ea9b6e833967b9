import { CairnError } from '@cairn/sdk'

/**
 * Parses a size such as `1GiB`, `500 MB`, `1.5TiB` or `1048576`.
 * @throws CairnError USAGE
 */
export function parseBytes(text: string): number {
  const found = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kmgtpe]?)(i?)b?$/i.exec(text.trim())
  const [, number = '', letter = '', binary = ''] = found ?? []
  const power = letter === '' ? 0 : 'kmgtpe'.indexOf(letter.toLowerCase()) + 1
  const bytes = Math.ceil(Number(number) * (binary === '' ? 1000 : 1024) ** power)
  if (found !== null && bytes > Number.MAX_SAFE_INTEGER) {
    throw new CairnError('USAGE', { message: `"${text}" is too large`, hint: 'The largest size is 8,191 TiB.' })
  }
  if (found === null || bytes < 1) {
    throw new CairnError('USAGE', {
      message: `"${text}" is not a size`,
      hint: 'Use 1GiB, 500MiB, 10GB or a number of bytes.',
    })
  }
  return bytes
}

/** Formats a duration for people: `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
