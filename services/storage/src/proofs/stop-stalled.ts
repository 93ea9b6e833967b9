/** Gives on what a source gives. A reader that takes none of it for `stalledMs` is told of, so that it can be cut off. */
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
