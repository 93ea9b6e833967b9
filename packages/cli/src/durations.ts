import { CairnError } from '@cairn/sdk'

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Parses a duration such as `90s`, `5m`, `48h` or `30d`.
 * @returns ms
 * @throws CairnError USAGE
 */
export function parseDuration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9})\s*([smhd])$/i.exec(text.trim()) ?? []
  const ms = Number(number) * (unitMs[unit.toLowerCase()] ?? Number.NaN)
  if (Number.isSafeInteger(ms)) return ms
  throw new CairnError('USAGE', { message: `"${text}" is not a duration`, hint: 'Write 90s, 5m, 48h or 30d.' })
}
