/** The part of `FileHandle` that is used. */
type SyncedFile = { datasync(): Promise<void> }

/** Syncs of a file that still arrives. */
export type EarlySync = {
  /** Counts bytes of a write that has ended. */
  wrote(sizeBytes: number): void
  /** @throws the error of an earlier sync */
  requireSuccess(): void
  /** Waits for the sync under way. @throws the error of this or an earlier one */
  settle(): Promise<void>
}

/**
 * Syncs a file while it arrives, so that its last sync has little left: one at a time, each after at least `stepBytes` more. The
 * system reports a failed write to one sync only, and a later one succeeds without its bytes; so the first error stays.
 */
export function createEarlySync(file: SyncedFile, stepBytes: number): EarlySync {
  let unsyncedBytes = 0
  let syncing: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  const sync = async (): Promise<void> => {
    try {
      await file.datasync()
    } catch (error) {
      failure ??= { error }
    }
    syncing = undefined
  }
  const requireSuccess = (): void => {
    if (failure !== undefined) throw failure.error
  }
  return {
    wrote(sizeBytes) {
      unsyncedBytes += sizeBytes
      if (syncing !== undefined || unsyncedBytes < stepBytes) return
      unsyncedBytes = 0
      syncing = sync()
    },
    requireSuccess,
    async settle() {
      await syncing
      requireSuccess()
    },
  }
}
