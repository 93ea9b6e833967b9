import { type RawBuilder, sql } from 'kysely'

/** How far the clocks of two replicas may differ, in ms. */
const maxClockDifferenceMs = 3_600_000

/**
 * Whether the time until which a process holds something is over. A time that no right clock can have set counts as over: its
 * process had a wrong clock, and what it held when it was killed would be held until then.
 * @param column with the time, in ms since 1970
 * @param lifetimeMs of a hold without renewal
 */
export function hasLapsed(column: string, now: number, lifetimeMs: number): RawBuilder<boolean> {
  const until = sql.ref(column)
  return sql<boolean>`(${until} <= ${now} or ${until} > ${now + lifetimeMs + maxClockDifferenceMs})`
}

/**
 * Whether no process holds a row: it has no holder, or the time of the hold has lapsed.
 * @param holder the column with the holder; the column with the time has this name and `_until`
 * @param lifetimeMs of a hold without renewal
 */
export function isUnheld(holder: 'owner' | 'writer', now: number, lifetimeMs: number): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(holder)} is null or ${hasLapsed(`${holder}_until`, now, lifetimeMs)})`
}
