/**
 * Processes several items concurrently, in order. After the first error, starts no more and waits for those in
 * progress.
 */
export async function forEachParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  maxParallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  const running = new Set<Promise<void>>()
  for await (const item of items) {
    if (errors.length > 0) break
    const task: Promise<void> = work(item)
      .catch((error: unknown) => {
        errors.push(error)
      })
      .finally(() => running.delete(task))
    running.add(task)
    if (running.size >= maxParallel) await Promise.race(running)
  }
  await Promise.all(running)
  if (errors.length > 0) throw errors[0]
}
