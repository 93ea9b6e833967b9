import type { NameRecord } from './read-record.ts'

/** Fields that decide between two records. */
export type RecordOrder = Pick<NameRecord, 'sequence' | 'validUntil'>

/**
 * Returns whether the first record takes precedence over the second: by its sequence, then by its later expiry.
 * @see https://specs.ipfs.tech/ipns/ipns-record/#record-selection
 */
export function isNewer(first: RecordOrder, second: RecordOrder): boolean {
  if (first.sequence !== second.sequence) return first.sequence > second.sequence
  return first.validUntil > second.validUntil
}
