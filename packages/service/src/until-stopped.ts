/** Signals this soon after the first are its echo: a terminal and a parent process both forward Ctrl-C. */
const echoMs = 1_000

/**
 * Resolves with the first signal to stop, or with an unhandled rejection: after one, the state of the process is
 * unknown. A second signal, later, ends the process immediately.
 */
export function untilStopped(onFailure: (error: unknown) => void): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const stop = () => {
      const now = performance.now()
      first ??= now
      if (now - first > echoMs) process.exit(130)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    // A child process ends with its parent.
    process.on('disconnect', () => resolve())
    process.on('unhandledRejection', (error) => {
      onFailure(error)
      process.exitCode = 1
      resolve()
    })
  })
}
