/** Usage and limit after a change, in bytes. */
export type UsagePoint = { at: number; usedBytes: number; limitBytes: number }

/** More points than a small picture can show. */
const maxPoints = 120

/**
 * Computes storage over time backwards from the current state. Deleted files leave no trace.
 * @returns oldest first; the last is now
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
  for (const change of changes.toSorted((a, b) => b.at - a.at)) {
    points.push({ at: change.at, usedBytes: used, limitBytes: limit })
    used = Math.max(0, used - (change.usedBytes ?? 0))
    limit = Math.max(0, limit - (change.limitBytes ?? 0))
  }
  points.reverse()
  const step = Math.ceil(points.length / maxPoints)
  return points.filter((_, index) => (points.length - 1 - index) % step === 0)
}
