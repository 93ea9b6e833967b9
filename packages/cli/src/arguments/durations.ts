import { CairnError } from '@cairn/sdk'
import { text, type Values } from '../command.ts'

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
  throw new CairnError('USAGE', {
    message: `"${text}" is not a duration`,
    hint: 'Use a duration such as 90s, 5m, 48h or 30d.',
  })
}

/**
 * Returns the duration of an option in ms; undefined if it is not given.
 * @throws CairnError USAGE naming the option and its range
 */
export function readDuration(
  values: Values,
  option: string,
  { minMs, maxMs }: { minMs: number; maxMs: number },
): number | undefined {
  const given = text(values, option)
  if (given === undefined) return undefined
  const ms = parseDuration(given)
  if (ms >= minMs && ms <= maxMs) return ms
  throw new CairnError('USAGE', {
    message: `--${option} must be from ${describeDuration(minMs)} to ${describeDuration(maxMs)}: "${given}"`,
  })
}

/** Writes a duration in its largest whole unit. */
function describeDuration(ms: number): string {
  const [unit = 's', size = 1000] = Object.entries(unitMs).findLast(([, each]) => ms > 0 && ms % each === 0) ?? []
  return `${ms / size}${unit}`
}
