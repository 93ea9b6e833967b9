/**
 * SHA-256 (or, in a table, another hash) given from outside: Node's `crypto.hash`, WebCrypto, a library. When it returns
 * bytes the import stays synchronous; when it returns promises a few hashes are in flight at once.
 */
export type HashFunction = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>

/** Runs `next` with `value`, at once when it is there and after it when it is promised. */
export function whenReady<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
