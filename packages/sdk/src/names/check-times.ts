import { CairnError, maxNameLifetimeMs, maxNameTtlMs, minNameLifetimeMs } from '@cairn/protocol'

const dayMs = 86_400_000

/** @throws CairnError INVALID_REQUEST for a record lifetime or TTL out of bounds */
export function checkTimes(lifetimeMs: number | undefined, ttlMs: number | undefined): void {
  if (lifetimeMs !== undefined && !isBetween(lifetimeMs, minNameLifetimeMs, maxNameLifetimeMs)) {
    throw new CairnError('INVALID_REQUEST', {
      message: `The lifetime of a record must be from ${minNameLifetimeMs / 1000} seconds to ${maxNameLifetimeMs / dayMs} days`,
      hint: 'Set lifetimeMs to a whole number of milliseconds in this range.',
    })
  }
  if (ttlMs !== undefined && !isBetween(ttlMs, 0, maxNameTtlMs)) {
    throw new CairnError('INVALID_REQUEST', {
      message: `The TTL of a record must be at most ${maxNameTtlMs / dayMs} days`,
      hint: 'Set ttlMs to a whole number of milliseconds in this range.',
    })
  }
}

function isBetween(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max
}
