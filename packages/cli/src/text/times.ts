/**
 * Formats a time for people, in UTC and to the second: `2026-11-28 19:18:22Z`. `date -d` and spreadsheets read it.
 * @param ms since 1970; null or undefined if there is none
 */
export function formatTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '–' : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** The greatest time of `Date`; more is not a time, and would throw. */
const maxTimeMs = 8.64e15
const timeField = /^(?:at|since|lastUpdate|\w+(?:At|Until|Since))$/

/** Whether a field of the API is a time in ms, by its name. */
export function isTimeField(name: string, value: unknown): value is number {
  return typeof value === 'number' && timeField.test(name) && Math.abs(value) <= maxTimeMs
}

/** Returns a value as JSON for programs, with times as ISO 8601 instead of ms. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) =>
    isTimeField(name, field) ? new Date(field).toISOString() : field,
  )
}
