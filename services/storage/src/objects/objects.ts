/**
 * Where packs lie: named, write-once byte strings. Meant for files and for S3 alike, so an object appears whole or not
 * at all, cannot be changed, and its key is never used again.
 *
 * A finished object is unconfirmed until a record names it: the store keeps a note of it until {@link ObjectStore.confirm}.
 * The note separates an object that never had a record (a crash) from one that lost it (a restored database). Only the
 * former is ever removed automatically.
 */
export type ObjectStore = {
  /** Starts an object. Nothing of it is seen under its key before {@link ObjectWriter.finish}. */
  create(key: string): Promise<ObjectWriter>
  /** Notes that a durable record names a finished object. Does nothing for an object that is confirmed. */
  confirm(key: string): Promise<void>
  /**
   * Reads exactly `length` bytes at `offset`, into the front of `into` where given.
   * @throws CairnError DATA_DAMAGED when the object is gone or ends before that; UNAVAILABLE when the store is down.
   */
  read(key: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /** Size in bytes, or undefined where there is no such object. */
  size(key: string): Promise<number | undefined>
  /** Removes an object; one that is not there is no error. Durable when the promise resolves. */
  remove(key: string): Promise<void>
  /**
   * Keys of all finished objects that start with `prefix`, folder by folder in the order of their names, within a folder in
   * none. Costs nothing per object beyond its name.
   * @param from folders of keys that come before this key are skipped
   */
  list(prefix: string, from?: string): AsyncIterable<string>
  /** Keys of the unconfirmed objects: those of all replicas, or only those of replicas that are alive. */
  listUnconfirmed(of: 'all' | 'alive'): Promise<Set<string>>
  /** Unconfirmed objects of replicas that are gone: no client was told of them. */
  listAbandoned(prefix: string): AsyncIterable<AbandonedObject>
  /** Removes the unfinished objects of replicas that are gone, and nothing of living replicas. Returns how many. */
  sweep(): Promise<number>
  /** Ids of the other replicas that write here and are alive. */
  listOthers(): Promise<readonly string[]>
  /** Resolves when objects can be written. Throws when they cannot. */
  probe(): Promise<void>
  /** Closes the files kept open for the next read, so that the space of objects that other replicas removed is freed. */
  releaseFiles(): void
  close(): Promise<void>
}

/** An object whose replica ended between finishing and confirming it. */
export type AbandonedObject = {
  key: string
  /** Removes the note, once the fate of the object is decided. */
  settle(): Promise<void>
}

/** An object being written, front to back. After any failure only {@link ObjectWriter.abort} makes sense. */
export type ObjectWriter = {
  /**
   * Adds bytes to the end. One call at a time; the parts may be reused when the promise resolves.
   * @throws CairnError STORAGE_FULL, STORAGE_FAILED
   */
  append(parts: readonly Uint8Array[]): Promise<void>
  /** Overwrites the first bytes, once, at the end: only bytes that were appended first, and before finish. */
  setHead(bytes: Uint8Array): Promise<void>
  /** Makes the object durable and visible, unconfirmed for now. Nothing that comes later, a power cut included, takes it away. */
  finish(): Promise<{ sizeBytes: number }>
  /** Gives up and removes what was written. Safe to call at any time, more than once; does nothing after finish. */
  abort(): Promise<void>
}

/** Names of our own making only: no user's text ever gets into a path. */
const keyPattern = /^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)+$/

/** @throws TypeError for a text that is no key of an object */
export function requireKey(key: string): void {
  if (!keyPattern.test(key) || key.includes('..')) throw new TypeError(`Not a key: ${key}`)
}
