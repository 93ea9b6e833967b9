/** How far a transfer is: the same form for uploads and downloads, in Node and browsers. */
export type Progress = {
  /**
   * `prepare`: read, hashed and encrypted before anything is sent, as browsers do; `keys`: shards are being saved. Node sends
   * while it reads.
   */
  phase: 'prepare' | 'keys' | 'send' | 'receive'
  /** Bytes of content so far. */
  bytes: number
  /** All bytes, where that is known. */
  total: number | undefined
  bytesPerSecond: number
  /** Time left in ms at the present rate, where `total` is known. */
  remainingMs: number | undefined
}

export type OnProgress = (progress: Progress) => void

/** Counts bytes and tells of them at most twenty times a second, and once at the end. */
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
  /** What was there at the beginning, of an upload that is resumed: it took no time. */
  let before: number | undefined
  let told = Number.NEGATIVE_INFINITY
  const tell = (now: number) => {
    told = now
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
    if (now - told >= stepMs) tell(now)
  }
  return {
    add: (more) => {
      before ??= 0
      reach(bytes + more)
    },
    reach,
    done: () => tell(performance.now()),
  }
}
