/** Returns the median of what nodes report, the lower one of two: two wrong values among five cannot move it beyond the others. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}
