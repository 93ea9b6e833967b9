import { CairnError } from '@cairn/protocol'
import type { KnownNames } from './known-names.ts'

/** What is under way for each name, for a client and its copies. */
const turns = new WeakMap<KnownNames, Map<string, Promise<unknown>>>()

/**
 * Does something about a name when all before it are done, so that no two records are signed with one sequence.
 * @throws CairnError ABORTED, also while it waits for its turn
 */
export function takeTurn<T>(
  knownNames: KnownNames,
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const ofClient = turns.get(knownNames) ?? new Map<string, Promise<unknown>>()
  turns.set(knownNames, ofClient)
  const before = ofClient.get(name)
  const start = (): Promise<T> => {
    if (signal?.aborted === true) throw new CairnError('ABORTED', { cause: signal.reason })
    return work()
  }
  const mine = (before ?? Promise.resolve()).then(start)
  const over = mine.then(
    () => undefined,
    () => undefined,
  )
  ofClient.set(name, over)
  void over.then(() => {
    if (ofClient.get(name) === over) ofClient.delete(name)
  })
  return signal === undefined || before === undefined ? mine : Promise.race([mine, abortOf(signal, over)])
}

/** Fails when the signal comes before the end. */
function abortOf(signal: AbortSignal, over: Promise<unknown>): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void over.then(() => signal.removeEventListener('abort', stop))
  })
}
