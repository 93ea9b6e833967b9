/** Counts what the gateway sends. */
export type Egress = {
  /** Notes bytes that were sent of a root. Kept in memory until the worker writes them. */
  note(rootMultihash: Uint8Array, bytes: number): void
  /** Adds what was noted to the database. */
  flush(): Promise<void>
}
