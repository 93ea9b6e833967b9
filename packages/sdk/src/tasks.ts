/** Tasks that run while their input is still read. */
export type Tasks = {
  /** Starts a task, as soon as there is room. @throws the first failure of an earlier task */
  add(task: () => Promise<void>): Promise<void>
  /** Waits for all tasks. @throws their first failure */
  end(): Promise<void>
}

/** Runs up to `count` tasks at a time, for input that `forEachOf` cannot read in parallel. */
export function createTasks(count: number): Tasks {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const requireNone = (): void => {
    if (failure !== undefined) throw failure.error
  }
  return {
    async add(task) {
      while (running.size >= count) await Promise.race(running)
      requireNone()
      const ended = task()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(ended))
      running.add(ended)
    },
    async end() {
      await Promise.all(running)
      requireNone()
    },
  }
}
