/** The first so many of what comes in pages; no further page is asked for. */
export async function takeFirst<Item>(items: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const taken: Item[] = []
  if (most <= 0) return taken
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= most) break
  }
  return taken
}
