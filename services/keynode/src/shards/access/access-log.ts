/** One use of the right to read a file, or an attempt without it. */
export type Access = { cid: string; owner: string; address: string; outcome: 'opened' | 'denied' }

/** The log of who opened files, for their owners. */
export type AccessLog = {
  /** Notes an access. It is written within a second, so that no answer waits for the disk. */
  note(access: Access): void
  /** Writes what was noted. */
  flush(): Promise<void>
  /** Deletes what is older than the operator wants to keep. */
  sweep(): Promise<void>
}
