/** How long a process must run before it trusts its clock, in ms: time for a machine to synchronise it. */
const startMs = 3_600_000
/** How long a clock that was set ahead must stay ahead before it counts, in ms. */
const aheadMs = 24 * 3_600_000

/** A clock for work that destroys content by its age. */
export type SettledClock = {
  /** Returns ms since 1970; undefined in the first hour of a process. Call it at least every few minutes. */
  now(): number | undefined
}

/**
 * Creates a clock that a wrong clock of the machine moves ahead only after a day: what is removed by its age cannot come back
 * when the clock is corrected. A clock that is set back counts at once.
 * @param elapsed ms of a clock that is never set
 */
export function createSettledClock(
  clock: { now(): number },
  elapsed: () => number = () => performance.now(),
): SettledClock {
  const startedAt = elapsed()
  /** How far the clock is ahead of elapsed time: at least `offset` since `since`. Both grow from one entry to the next. */
  const offsets: { since: number; offset: number }[] = []
  return {
    now() {
      const at = elapsed()
      const offset = clock.now() - at
      let since = at
      while ((offsets.at(-1)?.offset ?? Number.NEGATIVE_INFINITY) >= offset) since = offsets.pop()?.since ?? since
      offsets.push({ since, offset })
      while ((offsets[1]?.since ?? at) <= at - aheadMs) offsets.shift()
      return at - startedAt < startMs ? undefined : at + (offsets[0]?.offset ?? offset)
    },
  }
}
