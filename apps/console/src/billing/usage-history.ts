/** Usage and limit after a change, in bytes. */
export type UsagePoint = { at: number; usedBytes: number; limitBytes: number }

/** Maximum number of days in the chart: the last ones. */
const maxDays = 90

/**
 * Computes storage by day, backwards from the current state. Deleted files leave no trace.
 * @returns the state at the end of each day in local time, oldest first and without gaps; the last is now
 */
export function buildUsageHistory({
  usedBytes,
  limitBytes,
  changes,
  now,
}: {
  usedBytes: number
  limitBytes: number
  changes: readonly { at: number; usedBytes?: number; limitBytes?: number }[]
  now: number
}): UsagePoint[] {
  const points: UsagePoint[] = [{ at: now, usedBytes, limitBytes }]
  let used = usedBytes
  let limit = limitBytes
  let day = startOfDay(now)
  const closeDays = (until: number) => {
    // The state before a day is that of the end of the day before it.
    while (until < day && points.length < maxDays) {
      points.push({ at: day - 1, usedBytes: used, limitBytes: limit })
      day = startOfDay(day - 1)
    }
  }
  for (const change of changes.toSorted((a, b) => b.at - a.at)) {
    closeDays(change.at)
    used = Math.max(0, used - (change.usedBytes ?? 0))
    limit = Math.max(0, limit - (change.limitBytes ?? 0))
  }
  // The line starts at what was there before the first change.
  if (changes.length > 0 && points.length < maxDays) points.push({ at: day - 1, usedBytes: used, limitBytes: limit })
  return points.reverse()
}

/** Midnight in local time; days of a change of the clocks are shorter or longer. */
function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

/** Returns round values for an axis of bytes, from 0: powers of two, so that they read well in MiB and GiB. */
export function pickTicks(maxBytes: number, count = 4): number[] {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, maxBytes) / count)))
  return Array.from({ length: Math.ceil(maxBytes / step) + 1 }, (_none, at) => at * step)
}
