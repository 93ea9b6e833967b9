/**
 * Runs a task for each item, some at a time, and yields the results in the order of the items. At most `atOnce` tasks run or have
 * results that wait.
 * @throws what a task throws, in its turn
 */
export async function* runAhead<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = []
  for (const item of items) {
    const oldest = running.length < atOnce ? undefined : running.shift()
    if (oldest !== undefined) yield await oldest
    const task = run(item)
    // Prevents an unhandled rejection: the error is thrown when the result is awaited.
    task.catch(() => undefined)
    running.push(task)
  }
  for (const task of running) yield await task
}
