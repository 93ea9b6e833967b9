/** Runs `work` for each item, at most `count` at a time. Stops at the first failure, and throws it when all have ended. */
export async function forEachOf<T>(items: Iterable<T>, count: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]()
  let failure: { error: unknown } | undefined
  const run = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && failure === undefined; next = rest.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: count }, run))
  if (failure !== undefined) throw failure.error
}
