/**
 * Runs `work` for each item, at most `count` at a time, and takes an item from its source when one can start. Starts no more after
 * the first failure, of an item or of the source, and throws it when all have ended.
 */
export async function forEachOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const errors: unknown[] = []
  const run = async (): Promise<void> => {
    try {
      for (let next = await source.next(); !next.done && errors.length === 0; next = await source.next())
        await work(next.value)
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(Array.from({ length: count }, run))
  if (errors.length === 0) return
  await source.return?.()
  throw errors[0]
}
