/** Digits of the greatest sequence there is, 2^64 - 1. */
const digits = 20
/** The greatest sequence there is. @see https://specs.ipfs.tech/ipns/ipns-record/#sequence-uint64 */
export const sequenceMost = 2n ** 64n - 1n

/** A sequence as the database has it: text of one length, which sorts as the number does. */
export function toSequenceText(sequence: bigint): string {
  return sequence.toString().padStart(digits, '0')
}

/**
 * The sequence of what is published next: above all that were seen, and no less than the seconds since 1970. So a service
 * that was restored from an old backup, and does not know its newest records any more, still publishes above them.
 * @returns undefined when there is none left
 */
export function chooseSequence(seen: bigint | undefined, nowMs: number): bigint | undefined {
  const time = BigInt(Math.floor(nowMs / 1000))
  const next = seen === undefined || time > seen ? time : seen + 1n
  return next > sequenceMost ? undefined : next
}
