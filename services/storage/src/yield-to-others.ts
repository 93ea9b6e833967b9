/** Lets other work of this thread run before the next step of a long one. @throws the reason of the signal */
export async function yieldToOthers(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}

/** Items between two turns of the event loop: a few milliseconds of what a listing does with each. */
const itemsPerTurn = 500

/** Passes on items and lets other work run in between: those of blocks that were read ahead make no pause of their own. */
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
