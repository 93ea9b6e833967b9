import type { Worker } from 'node:worker_threads'

/** A thread that starts when it is needed, and again after it ended. */
export type OnDemandThread = AsyncDisposable & {
  /** Returns the thread, and starts it if there is none. */
  open(): Worker
  /** Whether a thread is the one that {@link open} returns: it has not ended. */
  isOpen(thread: Worker): boolean
}

/**
 * Creates a thread on demand. Only pending work may keep the process alive, and listening for messages does, too: callers
 * call `ref` with their first question and `unref` after the last answer.
 * @param onEnd is called once per thread: one that fails reports its error and then its exit, and by then another may have taken
 * its place
 */
export function createOnDemandThread<Answer>(
  start: () => Worker,
  onAnswer: (answer: Answer, thread: Worker) => void,
  onEnd: (cause: unknown) => void,
): OnDemandThread {
  let current: Worker | undefined
  const end = (ended: Worker, cause: unknown): void => {
    if (current !== ended) return
    current = undefined
    onEnd(cause)
  }
  return {
    open() {
      if (current !== undefined) return current
      const started = start()
      started.on('message', (answer: Answer) => onAnswer(answer, started))
      started.on('error', (error) => end(started, error))
      started.on('exit', (code) => end(started, `the thread exited with code ${code}`))
      current = started
      return started
    },
    isOpen: (thread) => thread === current,
    async [Symbol.asyncDispose]() {
      await current?.terminate()
    },
  }
}
