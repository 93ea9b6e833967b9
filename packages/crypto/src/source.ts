/** Where bytes come from: a stream, or pieces that are there. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A source that was opened: read once, and closed by whoever opened it. */
export type OpenSource = AsyncIterableIterator<Uint8Array> & {
  /** Lets go of what the source holds (a file, a connection), however far it was read. Does nothing at its end, or twice. */
  close(): Promise<void>
}

/**
 * Opens a source at once, so that it can be closed even where not one piece is read: a generator that was never started
 * would not do so by itself.
 */
export function openSource(source: ByteSource): OpenSource {
  const pieces = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let isOver = false
  const opened: OpenSource = {
    async next() {
      if (isOver) return { done: true, value: undefined }
      try {
        const { done, value } = await pieces.next()
        if (done !== true) return { done: false, value }
      } catch (error) {
        isOver = true
        throw error
      }
      isOver = true
      return { done: true, value: undefined }
    },
    async return() {
      await opened.close()
      return { done: true, value: undefined }
    },
    async close() {
      if (isOver) return
      isOver = true
      try {
        await pieces.return?.()
      } catch {
        // As in `for await`: what made the reader stop is what its caller hears of.
      }
    },
    [Symbol.asyncIterator]: () => opened,
  }
  return opened
}
