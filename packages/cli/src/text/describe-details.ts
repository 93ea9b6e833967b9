import { formatTime, isTimeField, toJsonLine } from './times.ts'

/** Maximum number of detail lines of an error. */
const maxLines = 20

/** Formats the details of an error for people: one line per fact, and one per item of a list of records. */
export function describeDetails(details: Readonly<Record<string, unknown>>): string[] {
  const lines = Object.entries(details).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [`  ${name}: ${describe(value, name)}`]
    if (value.every(isScalar)) return [`  ${name}: ${value.join(', ')}`]
    return value.map((item) => `  ${describe(item)}`)
  })
  const more = lines.length - maxLines
  return more > 0 ? [...lines.slice(0, maxLines), `  and ${more} more`] : lines
}

function describe(value: unknown, name = ''): string {
  if (isTimeField(name, value)) return formatTime(value)
  if (isScalar(value)) return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const { field, message, ...rest } = value as Record<string, unknown>
  const facts = Object.entries(rest).map(
    ([name, one]) => `${name} ${isScalar(one) ? describe(one, name) : toJsonLine(one)}`,
  )
  const sentence = [field, message].filter((part) => typeof part === 'string').join(' ')
  return [...facts, ...(sentence === '' ? [] : [sentence])].join(', ')
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
