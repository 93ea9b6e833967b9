/** Returns the result of `work`, and how often other work could run meanwhile. */
export async function countTurns<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0
  let isDone = false
  const countTurn = () => {
    turns++
    if (!isDone) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  try {
    const result = await work()
    return { result, turns }
  } finally {
    isDone = true
  }
}
