/** Number of digits of the maximum sequence, 2^64 - 1. */
const digits = 20
/** The maximum sequence. @see https://specs.ipfs.tech/ipns/ipns-record/#sequence-uint64 */
export const maxSequence = 2n ** 64n - 1n

/** Formats a sequence for the database: text of fixed length, which sorts as the number does. */
export function toSequenceText(sequence: bigint): string {
  return sequence.toString().padStart(digits, '0')
}

/**
 * Chooses the next sequence: above all that were seen, and at least the seconds since 1970. A service restored from
 * an old backup, which no longer knows its newest records, therefore still publishes above them.
 * @returns undefined when none is left
 */
export function chooseSequence(seen: bigint | undefined, nowMs: number): bigint | undefined {
  const time = BigInt(Math.floor(nowMs / 1000))
  const next = seen === undefined || time > seen ? time : seen + 1n
  return next > maxSequence ? undefined : next
}
