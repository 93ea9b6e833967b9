/** Numbers per millisecond: far more uploads than any service records in one. */
const numbersPerMs = 1n << 20n
/** Last time whose numbers fit into 63 bits: in the year 2248. A cursor may name a later one. */
const maxTimeMs = 2 ** 43 - 2

/**
 * Numbers of the uploads of one millisecond, from `first` to before `end`. Uploads in the order of their numbers are in
 * the order of their times, so the newest matches are found first and need no sorting.
 */
export function numbersOf(createdAtMs: number): { first: bigint; end: bigint } {
  const first = BigInt(Math.min(createdAtMs, maxTimeMs)) * numbersPerMs
  return { first, end: first + numbersPerMs }
}

/** Returns the time of the upload with this number. */
export function timeOf(number: bigint): number {
  return Number(number / numbersPerMs)
}
