/** Passes a source on. Reports a reader that consumes nothing for `stalledMs`, so that it can be disconnected. */
export async function* stopStalled<T>(
  source: AsyncIterable<T>,
  stalledMs: number,
  onStall: () => void,
): AsyncGenerator<T, void, undefined> {
  let timer: NodeJS.Timeout | undefined
  try {
    for await (const part of source) {
      timer = setTimeout(onStall, stalledMs)
      yield part
      clearTimeout(timer)
    }
  } finally {
    clearTimeout(timer)
  }
}
