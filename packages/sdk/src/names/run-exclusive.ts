import { CairnError } from '@cairn/protocol'
import type { KnownNames } from '../known-names.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'

/** Work in progress for each name, for a client and its copies. */
const queues = new WeakMap<KnownNames, Map<string, Promise<unknown>>>()

/**
 * Runs work on a name after all earlier work on it, so that no two records are signed with one sequence.
 * @throws CairnError ABORTED, also while it is queued
 */
export function runExclusive<T>(
  knownNames: KnownNames,
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const ofClient = queues.get(knownNames) ?? new Map<string, Promise<unknown>>()
  queues.set(knownNames, ofClient)
  const before = ofClient.get(name)
  const start = (): Promise<T> => {
    throwIfAborted(signal)
    return work()
  }
  const result = (before ?? Promise.resolve()).then(start)
  const over = result.then(
    () => undefined,
    () => undefined,
  )
  ofClient.set(name, over)
  void over.then(() => {
    if (ofClient.get(name) === over) ofClient.delete(name)
  })
  return signal === undefined || before === undefined ? result : Promise.race([result, abortOf(signal, over)])
}

/** Rejects when the signal aborts before the end. */
function abortOf(signal: AbortSignal, over: Promise<unknown>): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void over.then(() => signal.removeEventListener('abort', stop))
  })
}
