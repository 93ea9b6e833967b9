type Runs = {
  readonly current: Promise<void>
  /** The run that starts when the current one ends. */
  next: Promise<void> | undefined
}

/**
 * Returns a function that runs `work` by key, one run at a time. Calls during a run share the next one, so each call resolves
 * after a run that started after it. If a run fails, the calls that wait for the next one fail too, because they may depend on
 * its result.
 */
export function createSharedRuns(work: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const running = new Map<string, Runs>()

  const start = (key: string): Promise<void> => {
    const current = work(key)
    const runs: Runs = { current, next: undefined }
    running.set(key, runs)
    const end = (): void => {
      if (runs.next === undefined) running.delete(key)
    }
    current.then(end, end)
    return current
  }

  return (key) => {
    const runs = running.get(key)
    if (runs === undefined) return start(key)
    runs.next ??= runs.current.then(
      () => start(key),
      (error: unknown) => {
        running.delete(key)
        throw error
      },
    )
    return runs.next
  }
}
