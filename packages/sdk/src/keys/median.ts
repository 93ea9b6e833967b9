/** Returns the middle of what nodes report, or the lower of two: of five values, two wrong ones do not move it out of the others. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}
