import { time } from './en/time.ts'
import { language } from './language.ts'

// Figures and times as the language of the page writes them.

const wholeNumber = new Intl.NumberFormat(language)
const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const dollars = new Intl.NumberFormat(language, { style: 'currency', currency: 'USD', maximumFractionDigits: 2 })
const smallDollars = new Intl.NumberFormat(language, {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 2,
})
const dayAndTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const shortDay = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' })
const dayOnly = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** Between a number and its unit, so that a line does not end between them. */
const gap = '\u00a0'

export function formatCount(count: number | bigint): string {
  return wholeNumber.format(count)
}

/** The sign between whole and fraction in the language of the page, as amounts are typed. */
export const decimalSign = oneDigit.format(0.5).includes(',') ? ',' : '.'

/** Writes an exact amount such as `1.5` with the decimal sign of the language. */
export function formatDecimal(amount: string): string {
  return amount.replace('.', decimalSign)
}

/** The amount in the largest unit of which there is at least one, and the place of that unit. */
function inUnit(bytes: number): [value: number, step: number] {
  let value = bytes
  let step = 0
  while (value >= 1023.95 && step < units.length - 1) {
    value /= 1024
    step++
  }
  return [value, step]
}

/** Bytes in powers of 1024: `3.2 MiB`, with a no-break space. */
export function formatBytes(bytes: number): string {
  const [value, step] = inUnit(bytes)
  return `${step === 0 || value >= 100 ? wholeNumber.format(Math.round(value)) : oneDigit.format(value)}${gap}${units[step]}`
}

/**
 * Bytes that are known within bounds, with only the digits that both share: `12 KiB`. Below 1 KiB, just that is said.
 */
export function formatByteRange({ minBytes, maxBytes }: { minBytes: number; maxBytes: number }): string {
  const most = formatBytes(maxBytes)
  if (formatBytes(minBytes) === most) return most
  if (maxBytes < 1024) return `<${gap}${formatBytes(1024)}`
  const [value, step] = inUnit(maxBytes)
  return `${wholeNumber.format(Math.round(value))}${gap}${units[step]}`
}

/** An amount and its unit, such as `1.5 ETH`, with a no-break space. */
export function withUnit(amount: string, unit: string): string {
  return `${amount}${gap}${unit}`
}

/** US dollars; small amounts keep two significant digits. */
export function formatUsd(usd: number): string {
  return usd !== 0 && Math.abs(usd) < 0.1 ? smallDollars.format(usd) : dollars.format(usd)
}

export function formatDateTime(ms: number): string {
  return dayAndTime.format(ms)
}

export function formatDay(ms: number): string {
  return dayOnly.format(ms)
}

/** A day without its year, for axes. */
export function formatShortDay(ms: number): string {
  return shortDay.format(ms)
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * When something happened: `just now`, `5 minutes ago`; beyond a month the day itself. What a clock that is a little ahead says
 * of the next minute is now, too.
 */
export function formatAgo(ms: number, now = Date.now()): string {
  return Math.abs(ms - now) < minuteMs ? time.justNow : formatDistance(ms, now)
}

/** When something will happen, such as an expiry: `in less than a minute`, `in 2 days`. */
export function formatUntil(ms: number, now = Date.now()): string {
  return ms > now && ms - now < minuteMs ? time.soon : formatAgo(ms, now)
}

/**
 * Time that passed counts in whole units; time to come is rounded, so that what lasts 7 days does not end in 6 days a second
 * later.
 */
function formatDistance(ms: number, now: number): string {
  const fromNowMs = ms - now
  const count = (unitMs: number) => (fromNowMs < 0 ? Math.trunc : Math.round)(fromNowMs / unitMs)
  if (Math.abs(count(minuteMs)) < 60) return relative.format(count(minuteMs), 'minute')
  if (Math.abs(count(hourMs)) < 24) return relative.format(count(hourMs), 'hour')
  if (Math.abs(count(dayMs)) < 30) return relative.format(count(dayMs), 'day')
  return dayOnly.format(ms)
}

/** Time left: `40 s`, `3 min`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds < 60) return `${seconds}${gap}s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes}${gap}min`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours}${gap}h` : `${hours}${gap}h ${minutes % 60}${gap}min`
}

/** Two sentences in one line; the first one, as errors have it, may lack its full stop. */
export function joinSentences(first: string, second: string): string {
  return `${first}${/[.!?…]$/.test(first) ? '' : '.'} ${second}`.trimEnd()
}

/** Reasons of conditions and rules of fields start with a small letter in English. */
export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Between short facts. A line may end after it, and never begins with it. */
export const factSeparator = '\u00a0· '

/** A CID or address short enough for a row; its whole text goes into a title or label. */
export function shorten(text: string, start = 8, end = 6): string {
  return text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`
}
