import { CairnError, type Scope, scopes } from '@cairn/sdk'
import { parseDuration } from './durations.ts'

/**
 * Parses scopes separated by commas. Defaults to all.
 * @throws CairnError USAGE
 */
export function parseScopes(text: string | undefined): Scope[] {
  if (text === undefined) return [...scopes]
  const words = text.split(',').map((word) => word.trim())
  const chosen = scopes.filter((scope) => words.includes(scope))
  const unknown = words.find((word) => !scopes.some((scope) => scope === word))
  if (unknown === undefined) return chosen
  throw new CairnError('USAGE', {
    message: `Unknown scope "${unknown}"`,
    hint: `Use ${scopes.join(', ')}, separated by commas.`,
  })
}

/**
 * Parses the expiry of an API key: a duration from now (`30d`), a day or time in UTC (`2027-01-31`,
 * `2027-01-31T12:00Z`), or `never`.
 * @returns ms since 1970, or null for no expiry
 * @throws CairnError USAGE
 */
export function parseExpiry(text: string, now: number): number | null {
  const words = text.trim()
  if (words === 'never') return null
  const at = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(words) ? readTime(words) : now + readSpan(words)
  if (at > now) return at
  throw new CairnError('USAGE', { message: `--expires ${text} is in the past` })
}

/** Reads a time whose day exists: `Date.parse` takes February 30 for March 2. */
function readTime(text: string): number {
  const at = Date.parse(text)
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  if (!Number.isNaN(at) && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day) return at
  throw invalidExpiry(text)
}

function readSpan(text: string): number {
  try {
    return parseDuration(text)
  } catch (cause) {
    throw invalidExpiry(text, cause)
  }
}

function invalidExpiry(text: string, cause?: unknown): CairnError {
  return new CairnError('USAGE', {
    message: `Invalid value for --expires: "${text}"`,
    hint: 'Use a duration (30d), a date (2027-01-31), a time (2027-01-31T12:00Z) or never.',
    cause,
  })
}
