/** Source of bytes: a stream, or existing chunks. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** An open source: read once, and closed by its opener. */
export type OpenSource = AsyncIterableIterator<Uint8Array> & {
  /**
   * Releases the resources of the source (a file, a connection), however far it was read. Idempotent; no effect at the
   * end.
   */
  close(): Promise<void>
}

/**
 * Opens a source immediately, so that it can be closed even if no chunk is read: a generator that never started would
 * not clean up.
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
        // As in `for await`: the caller receives the error that stopped the reader.
      }
    },
    [Symbol.asyncIterator]: () => opened,
  }
  return opened
}
