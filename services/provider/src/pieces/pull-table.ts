/** A piece that is being fetched. */
export type RunningPull = { readonly stop: AbortController; readonly ended: Promise<void>; receivedBytes: number }

/** The pieces that are being fetched, by their CIDs. */
export type PullTable = Map<string, RunningPull>
