/**
 * Where packs lie: named, write-once byte strings. Meant for files and for S3 alike, so an object appears whole or not
 * at all, cannot be changed, and its key is never used again.
 */
export type ObjectStore = {
  /** Starts an object. Nothing of it is seen under its key before {@link ObjectWriter.finish}. */
  create(key: string): Promise<ObjectWriter>
  /**
   * Reads exactly `length` bytes at `offset`, into the front of `into` where given.
   * @throws CairnError DATA_DAMAGED when the object is gone or ends before that; UNAVAILABLE when the store is down.
   */
  read(key: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /** Size in bytes, or undefined where there is no such object. */
  size(key: string): Promise<number | undefined>
  /** Removes an object; one that is not there is no error. Durable when the promise resolves. */
  remove(key: string): Promise<void>
  /** All finished objects whose key starts with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Removes what was never finished and was started before `olderThan` (ms since 1970), or by a process that lives no more; answers how many. */
  sweep(olderThan: number): Promise<number>
  close(): Promise<void>
}

/** A finished object. `modifiedAt` is ms since 1970. */
export type StoredObject = { key: string; sizeBytes: number; modifiedAt: number }

/** An object being written, front to back. After any failure only {@link ObjectWriter.abort} makes sense. */
export type ObjectWriter = {
  /**
   * Adds bytes to the end. One call at a time; the parts may be reused when the promise resolves.
   * @throws CairnError STORAGE_FULL, STORAGE_FAILED
   */
  append(parts: readonly Uint8Array[]): Promise<void>
  /** Overwrites the first bytes, once, at the end: only bytes that were appended first, and before finish. */
  setHead(bytes: Uint8Array): Promise<void>
  /** Makes the object durable and visible. Nothing that comes later, a power cut included, takes it away. */
  finish(): Promise<{ sizeBytes: number }>
  /** Gives up and removes what was written. Safe to call at any time, more than once; does nothing after finish. */
  abort(): Promise<void>
}
