/** Returns the first `max` items of a paged list, without fetching further pages. */
export async function collectFirst<Item>(items: AsyncIterable<Item>, max: number): Promise<Item[]> {
  const taken: Item[] = []
  if (max <= 0) return taken
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= max) break
  }
  return taken
}
