/**
 * Iterates over a stream, which not every browser does itself. Leaving the loop early cancels the stream, so that its connection
 * closes.
 */
export async function* iterateStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // No effect at the end of the stream. A stream that failed rejects with the error that the loop has thrown already.
    await reader.cancel().catch(() => undefined)
  }
}
