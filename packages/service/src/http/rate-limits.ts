import { CairnError } from '@cairn/protocol'

/** The state of a bucket after a token was taken. */
export type RateState = {
  /** Its size, which is what it refills in a minute. */
  perMinute: number
  /** Whole tokens that are left. */
  remaining: number
  /** Seconds until it is full again. */
  fullInSeconds: number
}

/** Token buckets by caller and call. */
export type RateLimiter = {
  /**
   * Takes one token of a bucket that refills at `perMinute`. Returns undefined if nothing is limited.
   * @throws CairnError RATE_LIMITED with the seconds to wait
   */
  consume(name: string, perMinute: number): RateState | undefined
}

/** Rates that all replicas of a service share, for calls that create rights, cost money or guess secrets. */
export type SharedRates = {
  /**
   * Takes one token of a bucket that refills at `perMinute`. Returns undefined if nothing is limited.
   * @throws CairnError RATE_LIMITED with the seconds to wait, UNAVAILABLE
   */
  consume(name: string, perMinute: number): Promise<RateState | undefined>
}

/** Returns the error of a caller that has to wait `waitMs`. */
export function rateLimited(perMinute: number, waitMs: number): CairnError {
  return new CairnError('RATE_LIMITED', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    details: { perMinute },
  })
}

/** Describes a bucket of this size. */
export function rateState(perMinute: number, tokens: number): RateState {
  return {
    perMinute,
    remaining: Math.max(0, Math.floor(tokens)),
    fullInSeconds: Math.ceil(((perMinute - tokens) / perMinute) * 60),
  }
}

type Bucket = { tokens: number; at: number }

/**
 * Maximum number of buckets; evicts the oldest beyond it. An evicted bucket restarts full: limits loosen, memory does
 * not grow.
 */
const maxBuckets = 50_000

/**
 * Rates of one process. They protect its own cores, so they are neither stored nor shared: with n replicas a caller has
 * n times the rate. Calls with `isShared` also count in {@link SharedRates}.
 */
export function createRateLimiter(factor: number, clock: { now(): number }): RateLimiter {
  const buckets = new Map<string, Bucket>()
  return {
    consume(name, perMinute) {
      if (factor === 0) return undefined
      const size = perMinute * factor
      const at = clock.now()
      const found = buckets.get(name)
      buckets.delete(name)
      const tokens =
        found === undefined ? size : Math.min(size, found.tokens + (Math.max(0, at - found.at) / 60_000) * size)
      if (tokens < 1) {
        buckets.set(name, { tokens, at })
        throw rateLimited(size, ((1 - tokens) / size) * 60_000)
      }
      buckets.set(name, { tokens: tokens - 1, at })
      if (buckets.size > maxBuckets) {
        const [oldest] = buckets.keys()
        if (oldest !== undefined) buckets.delete(oldest)
      }
      return rateState(size, tokens - 1)
    },
  }
}
