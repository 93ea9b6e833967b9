import { nameLifetimeMs, nameTtlMs } from '@cairn/protocol'

const dayMs = 24 * 3_600_000

/** Record lifetimes to choose from, including the default. */
export const lifetimesMs = {
  day: dayMs,
  twoDays: nameLifetimeMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  year: 365 * dayMs,
}
export type Lifetime = keyof typeof lifetimesMs
export const lifetimes: readonly Lifetime[] = ['day', 'twoDays', 'week', 'month', 'year']

/** Cache times of readers to choose from. */
export const ttlsMs = { minute: 60_000, fiveMinutes: nameTtlMs, hour: 3_600_000, day: dayMs }
export type Ttl = keyof typeof ttlsMs
export const ttls: readonly Ttl[] = ['minute', 'fiveMinutes', 'hour', 'day']
