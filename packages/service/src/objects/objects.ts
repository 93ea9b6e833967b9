/**
 * Storage of packs: named, write-once byte strings. Works on files and on S3, so an object appears completely or not
 * at all, cannot be changed, and its key is never reused.
 * A finished object is unconfirmed until a record names it: the store keeps a note of it until {@link
 * ObjectStore.confirm}. The note distinguishes an object that never had a record (a crash) from one that lost it (a
 * restored database). Only the former is ever removed automatically.
 */
export type ObjectStore = {
  /** Whether each read waits for a network, so that several at the same time take no longer than one. */
  readonly isRemote: boolean
  /** Starts an object. It is not visible under its key before {@link ObjectWriter.finish}. */
  create(key: string, options?: CreateOptions): Promise<ObjectWriter>
  /** Confirms that a durable record names a finished object. Does nothing for a confirmed object. */
  confirm(key: string): Promise<void>
  /**
   * Reads exactly `length` bytes at `offset`, into the beginning of `into` when given. If that is a region of {@link regionFor},
   * the rest of its first and last block in the same memory may be overwritten.
   * @throws CairnError DATA_DAMAGED when the object is gone or ends before that; UNAVAILABLE when the store is down.
   */
  read(key: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /**
   * Reads as {@link ObjectStore.read}, for work that passes over all bytes once: on files it leaves the cache of the system to
   * what is read often.
   */
  readOnce(key: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>
  /** Returns the size in bytes, or undefined when there is no such object. */
  size(key: string): Promise<number | undefined>
  /** Removes an object; a missing one is not an error. Durable when the promise resolves. */
  remove(key: string): Promise<void>
  /**
   * Lists the keys of all finished objects that start with `prefix`: folders in order of their names, keys within a
   * folder in no order. Costs nothing per object beyond its name.
   * @param from folders of keys before this key are skipped
   */
  list(prefix: string, from?: string): AsyncIterable<string>
  /** Returns the keys of the unconfirmed objects: of all replicas, or only of those that are alive. */
  listUnconfirmed(of: 'all' | 'alive'): Promise<Set<string>>
  /** Lists unconfirmed objects of replicas that are gone: no client received a success for them. */
  listAbandoned(prefix: string): AsyncIterable<AbandonedObject>
  /** Removes the unfinished objects of replicas that are gone, and nothing of live replicas. Returns their number. */
  sweep(): Promise<number>
  /** Returns the ids of the other live replicas that write here. */
  listOthers(): Promise<readonly string[]>
  /** Resolves when objects can be written; throws otherwise. */
  probe(): Promise<void>
  /** Closes the files kept open between reads, so that space of objects removed by other replicas is freed. */
  releaseFiles(): void
  close(): Promise<void>
}

/** Options of a new object. */
export type CreateOptions = {
  /** Whether it may use half of the space that objects leave free on a disk: it replaces others. Defaults to false. */
  usesHeadroom?: boolean
}

/** An object whose replica ended between finishing and confirming it. */
export type AbandonedObject = {
  key: string
  /** Removes the note, once it is decided what happens to the object. */
  settle(): Promise<void>
}

/** An object that is being written, front to back. After a failure, only {@link ObjectWriter.abort} may be called. */
export type ObjectWriter = {
  /**
   * Appends bytes. One call at a time; the parts may be reused when the promise resolves.
   * @throws CairnError STORAGE_FULL, STORAGE_FAILED
   */
  append(parts: readonly Uint8Array[]): Promise<void>
  /** Overwrites the first bytes, once, before finish; they must have been appended before. */
  setHead(bytes: Uint8Array): Promise<void>
  /** Makes the object durable and visible, but unconfirmed. It survives a power failure. */
  finish(): Promise<{ sizeBytes: number }>
  /** Aborts and removes what was written. Idempotent; does nothing after finish. */
  abort(): Promise<void>
}

/** Keys are generated names only: user input never becomes part of a path. */
const keyPattern = /^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)+$/

/** @throws TypeError for a text that is not an object key */
export function requireKey(key: string): void {
  if (!keyPattern.test(key) || key.includes('..')) throw new TypeError(`Not a key: ${key}`)
}
