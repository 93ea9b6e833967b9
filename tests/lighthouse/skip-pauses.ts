/**
 * Published clients wait exactly one second after each call to a key node. Their code stays unchanged; this skips that
 * second. Any other delay is unaffected.
 */
export function skipPauses(): Disposable {
  const before = globalThis.setTimeout
  const short = ((work: (...list: unknown[]) => void, ms?: number, ...list: unknown[]) =>
    before(work, ms === 1000 ? 0 : ms, ...list)) as typeof setTimeout
  // Node attaches a promise version to it that others use.
  globalThis.setTimeout = Object.assign(short, before)
  return {
    [Symbol.dispose]() {
      globalThis.setTimeout = before
    },
  }
}
