/** Lets so many run at once; the others wait for their turn. */
export type Turns = { take<T>(run: () => Promise<T>): Promise<T> }

export function createTurns(most: number): Turns {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    async take(run) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      else running++
      try {
        return await run()
      } finally {
        // Who waits takes over the place.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
