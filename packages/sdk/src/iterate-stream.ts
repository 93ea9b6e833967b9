/**
 * Iterates over a stream, which not every browser does itself. Ending early, by leaving a loop or by `return`, cancels the
 * stream, so that its connection closes.
 */
export function iterateStream(stream: ReadableStream<Uint8Array>): AsyncIterableIterator<Uint8Array, undefined> {
  const reader = stream.getReader()
  const iterator: AsyncIterableIterator<Uint8Array, undefined> = {
    async next() {
      const { done, value } = await reader.read()
      return done ? { done: true, value: undefined } : { done: false, value }
    },
    async return() {
      // A stream that failed rejects with the error that the reader has thrown already.
      await reader.cancel().catch(() => undefined)
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}
