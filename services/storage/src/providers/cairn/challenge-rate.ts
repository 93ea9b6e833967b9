/**
 * Number of challenges that a provider still accepts, by the rate that it announces. Further challenges are not sent, so that
 * they are not refused.
 */
export type ChallengeRate = {
  /** Returns the number of challenges that may be sent now. A rate of 0 means no limit. */
  countLeft(perMinute: number): number
  /** Counts one that is sent. */
  consume(): void
}

/** As the limiter of a provider: a bucket that starts full, and refills in a minute. */
export function createChallengeRate(clock: { now(): number }): ChallengeRate {
  let used = 0
  let at = clock.now()
  return {
    countLeft(perMinute) {
      if (perMinute === 0) return Number.POSITIVE_INFINITY
      // A bucket for less than one challenge never holds one.
      const size = Math.max(1, perMinute)
      const now = clock.now()
      used = Math.max(0, used - (Math.max(0, now - at) / 60_000) * size)
      at = now
      return Math.max(0, Math.floor(size - used))
    },
    consume() {
      used++
    },
  }
}
