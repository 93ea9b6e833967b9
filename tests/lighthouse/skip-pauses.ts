/**
 * Published clients wait exactly a second after each call to a key node. Their code stays as it is; here that second is
 * over at once. Any other time is left alone.
 */
export function skipPauses(): Disposable {
  const before = globalThis.setTimeout
  const short = ((work: (...list: unknown[]) => void, ms?: number, ...list: unknown[]) =>
    before(work, ms === 1000 ? 0 : ms, ...list)) as typeof setTimeout
  // Node hangs a promise form on it that others use.
  globalThis.setTimeout = Object.assign(short, before)
  return {
    [Symbol.dispose]() {
      globalThis.setTimeout = before
    },
  }
}
