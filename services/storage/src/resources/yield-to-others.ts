/** Lets other work of this thread run before the next step of a long one. @throws the reason of the signal */
export async function yieldToOthers(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}

/** Number of items between two turns of the event loop: a few milliseconds of work in a listing. */
const itemsPerTurn = 500

/** Passes items on and lets other work run in between, because items of blocks that were read ahead arrive without a pause. */
export async function* inTurns<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  signal?: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  let count = 0
  for await (const item of items) {
    yield item
    if (++count % itemsPerTurn === 0) await yieldToOthers(signal)
  }
}

/** Time between two turns of the event loop in {@link inShortTurns}, in ms. */
const turnMs = 10

/** Does the same as {@link inTurns} by time, for items that can take long, such as the blocks of a DAG. */
export async function* inShortTurns<Item>(
  items: AsyncIterable<Item>,
  signal?: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  let startedAt = performance.now()
  for await (const item of items) {
    yield item
    if (performance.now() - startedAt < turnMs) continue
    await yieldToOthers(signal)
    startedAt = performance.now()
  }
}

/** Passes items to `visit` in order as {@link inTurns} does, without a pause if they are few. */
export async function visitInTurns<Item>(
  items: Iterable<Item>,
  visit: (item: Item) => void | Promise<void>,
): Promise<void> {
  let count = 0
  for (const item of items) {
    const done = visit(item)
    if (done instanceof Promise) await done
    if (++count % itemsPerTurn === 0) await yieldToOthers()
  }
}

/** Sorts as `Array.sort` does, and lets other work run in between. The items may be in their order already. */
export async function sortInTurns<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
  signal?: AbortSignal,
): Promise<Item[]> {
  let runs: Item[][] = []
  for (let at = 0; at < items.length; at += itemsPerTurn) {
    runs.push(items.slice(at, at + itemsPerTurn).sort(compare))
    await yieldToOthers(signal)
  }
  while (runs.length > 1) {
    const longer: Item[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const merged: Item[] = []
      for (const item of mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], compare)) {
        if (merged.push(item) % itemsPerTurn === 0) await yieldToOthers(signal)
      }
      longer.push(merged)
    }
    runs = longer
  }
  return runs[0] ?? []
}

function* mergeRuns<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<Item, void, undefined> {
  let at = 0
  for (const item of first) {
    for (let other = second[at]; other !== undefined && compare(other, item) < 0; other = second[++at]) yield other
    yield item
  }
  yield* second.slice(at)
}
