/** Most lines of details that an error shows. */
const linesMost = 20

/** The details of an error for people: a line for each fact, and one for each item of a list of records. */
export function describeDetails(details: Readonly<Record<string, unknown>>): string[] {
  const lines = Object.entries(details).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return [`  ${name}: ${describe(value)}`]
    if (value.every(isScalar)) return [`  ${name}: ${value.join(', ')}`]
    return value.map((item) => `  ${describe(item)}`)
  })
  const more = lines.length - linesMost
  return more > 0 ? [...lines.slice(0, linesMost), `  and ${more} more`] : lines
}

function describe(value: unknown): string {
  if (isScalar(value)) return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const { field, message, ...rest } = value as Record<string, unknown>
  const facts = Object.entries(rest).map(([name, one]) => `${name} ${isScalar(one) ? one : JSON.stringify(one)}`)
  const said = [field, message].filter((part) => typeof part === 'string').join(' ')
  return [...facts, ...(said === '' ? [] : [said])].join(', ')
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
