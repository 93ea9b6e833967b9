/** Letters from which a beginning is taken for the word it begins. */
const minBeginning = 3

/** Returns the word that is closest to a mistyped one, or the only one that starts with it; undefined if none is close. */
export function findNearest(typed: string, words: readonly string[]): string | undefined {
  const maxSteps = typed.length < 5 ? 1 : 2
  const found = words
    .map((word) => ({ word, steps: countSteps(typed, word) }))
    .filter(({ steps }) => steps <= maxSteps)
    .toSorted((one, other) => one.steps - other.steps)
  if (found[0] !== undefined || typed.length < minBeginning) return found[0]?.word
  const [begun, ...others] = words.filter((word) => word.startsWith(typed))
  return others.length === 0 ? begun : undefined
}

/** Counts letters that are missing, superfluous, wrong, or exchanged with the next one. */
function countSteps(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(
        Math.min(
          (row[j - 1] ?? 0) + 1,
          (last[j] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = row
  }
  return last[to.length] ?? 0
}
