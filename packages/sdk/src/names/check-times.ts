import { CairnError, nameLifetimeMsLeast, nameLifetimeMsMost, nameTtlMsMost } from '@cairn/protocol'

const dayMs = 86_400_000

/** @throws CairnError INVALID_REQUEST for a lifetime or TTL of a record that is out of bounds */
export function checkTimes(lifetimeMs: number | undefined, ttlMs: number | undefined): void {
  if (lifetimeMs !== undefined && !isBetween(lifetimeMs, nameLifetimeMsLeast, nameLifetimeMsMost)) {
    throw new CairnError('INVALID_REQUEST', {
      message: `A record lives from ${nameLifetimeMsLeast / 1000} seconds to ${nameLifetimeMsMost / dayMs} days`,
      hint: 'Give lifetimeMs, a whole number of milliseconds, within that.',
    })
  }
  if (ttlMs !== undefined && !isBetween(ttlMs, 0, nameTtlMsMost)) {
    throw new CairnError('INVALID_REQUEST', {
      message: `A record may be kept for up to ${nameTtlMsMost / dayMs} days`,
      hint: 'Give ttlMs, a whole number of milliseconds, within that.',
    })
  }
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most
}
