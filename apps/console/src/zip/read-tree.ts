import type { OpenTree, TreeItem } from '@cairn/sdk'

/** The contents of a stored folder; a file with its bytes. */
export type ReadItem = Pick<TreeItem, 'kind' | 'names'> & { input?: AsyncIterable<Uint8Array> }

/**
 * Reads what one response brings of a stored folder, one item after the other. If the response ends early, the file it ended in
 * goes on with a request of its own.
 * @param reopen opens a file by itself, from a byte on
 * @returns whether the response brought everything
 * @throws CairnError those of the files and of `reopen`, but not those of the response
 */
export async function* readTree(
  open: () => Promise<OpenTree>,
  reopen: (names: readonly string[], fromByte: number) => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<ReadItem, boolean, undefined> {
  const tree = await open().catch(() => undefined)
  if (tree === undefined) return false
  try {
    for await (const item of tree.items) {
      const { kind, names } = item
      yield { kind, names, ...(item.kind === 'file' ? { input: readOn(tree, item, reopen) } : {}) }
    }
  } catch (error) {
    if (error !== tree.failure) throw error
  } finally {
    await tree.close()
  }
  return tree.failure === undefined
}

/** Yields the bytes of a file, and requests those after the end of its response. */
async function* readOn(
  tree: OpenTree,
  { names, bytes }: Extract<TreeItem, { kind: 'file' }>,
  reopen: Parameters<typeof readTree>[1],
): AsyncGenerator<Uint8Array, void, undefined> {
  let readBytes = 0
  try {
    for await (const piece of bytes) {
      readBytes += piece.length
      // A piece is valid until the next one, and the ZIP reads one ahead.
      yield piece.slice()
    }
    return
  } catch (error) {
    if (error !== tree.failure) throw error
  }
  yield* await reopen(names, readBytes)
}
