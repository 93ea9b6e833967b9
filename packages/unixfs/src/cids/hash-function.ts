/**
 * SHA-256 supplied by the caller: Node's `crypto.hash`, WebCrypto, a library. If it returns bytes the import stays
 * synchronous; if it returns promises a few hashes run concurrently.
 */
export type HashFunction = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>

/** Calls `next` with `value`: synchronously if it is available, after it resolves if it is a promise. */
export function whenReady<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
