import type { NameRecord } from './read-record.ts'

/** What decides between two records. */
export type RecordOrder = Pick<NameRecord, 'sequence' | 'validUntil'>

/**
 * Whether the first record wins over the second: by its sequence, and among equal ones by living longer.
 * @see https://specs.ipfs.tech/ipns/ipns-record/#record-selection
 */
export function isNewer(first: RecordOrder, second: RecordOrder): boolean {
  if (first.sequence !== second.sequence) return first.sequence > second.sequence
  return first.validUntil > second.validUntil
}
