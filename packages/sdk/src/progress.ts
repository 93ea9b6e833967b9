/** Progress of a transfer: the same for uploads and downloads, in Node and browsers. */
export type Progress = {
  /**
   * `prepare`: browsers read, hash and encrypt before they send; Node does so while it sends. `keys`: the shards are
   * being saved.
   */
  phase: 'prepare' | 'keys' | 'send' | 'receive'
  /** Bytes of content so far. */
  bytes: number
  /** Total bytes, if known. */
  total: number | undefined
  bytesPerSecond: number
  /** Remaining time in ms at the current rate, if `total` is known. */
  remainingMs: number | undefined
}

export type OnProgress = (progress: Progress) => void

/** Counts bytes and reports them at most twenty times per second, at the last byte of a known total, and once at the end. */
export type ProgressMeter = { add(bytes: number): void; reach(bytes: number): void; done(): void }

const stepMs = 50

export function createProgress(
  phase: Progress['phase'],
  total: number | undefined,
  onProgress: OnProgress | undefined,
): ProgressMeter {
  if (onProgress === undefined) return { add: () => undefined, reach: () => undefined, done: () => undefined }
  const started = performance.now()
  let bytes = 0
  /** Bytes present at the start of a resumed upload: they took no time. */
  let before: number | undefined
  let reportedAt = Number.NEGATIVE_INFINITY
  let reportedBytes: number | undefined
  const report = (now: number) => {
    reportedAt = now
    reportedBytes = bytes
    const seconds = Math.max(now - started, 1) / 1000
    const bytesPerSecond = (bytes - (before ?? 0)) / seconds
    const remainingMs =
      total === undefined || bytesPerSecond === 0 ? undefined : (Math.max(0, total - bytes) / bytesPerSecond) * 1000
    onProgress({ phase, bytes, total, bytesPerSecond, remainingMs })
  }
  const reach = (all: number) => {
    before ??= all
    bytes = all
    const now = performance.now()
    // The last byte is reported at once: what follows it may take long.
    if (now - reportedAt >= stepMs || (bytes === total && reportedBytes !== total)) report(now)
  }
  return {
    add: (more) => {
      before ??= 0
      reach(bytes + more)
    },
    reach,
    done: () => report(performance.now()),
  }
}
