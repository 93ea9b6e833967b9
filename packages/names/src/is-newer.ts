import type { NameRecord } from './read-record.ts'

/**
 * Whether the first record wins over the second: by its sequence, and among equal ones by living longer.
 * @see https://specs.ipfs.tech/ipns/ipns-record/#record-selection
 */
export function isNewer(first: NameRecord, second: NameRecord): boolean {
  if (first.sequence !== second.sequence) return first.sequence > second.sequence
  return first.validUntil > second.validUntil
}
