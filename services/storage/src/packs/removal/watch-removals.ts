import type { Database } from '../../db/database.ts'
import { createLoop, type Worker, type WorkerClock } from '../../workers/worker.ts'
import { type PackStore, readRemovals } from '../packs.ts'

/**
 * Pause between checks for removed packs, and time limit of a check before the caches are cleared without an answer.
 * Content that another replica removed is served for at most five seconds: the pause, two late answers, one second
 * for cached answers and one for cached folders.
 */
const watchEveryMs = 2000
const lateAnswerMs = 500

type Watched = { db: Pick<Database, 'read'>; packs: Pick<PackStore, 'evict'> }

/**
 * Returns a check that clears the caches of this replica and closes its files when any replica has removed packs
 * since the last check. It reads one row, so that block reads need no query. It also clears everything while the
 * database does not answer. The check throws CairnError UNAVAILABLE.
 */
export function createRemovalCheck({ db, packs }: Watched): () => Promise<void> {
  let seen: number | undefined
  return async () => {
    const late = setInterval(() => packs.evict(), lateAnswerMs)
    try {
      const removals = await readRemovals(db)
      if (seen !== removals) packs.evict()
      seen = removals
    } catch (error) {
      packs.evict()
      seen = undefined
      throw error
    } finally {
      clearInterval(late)
    }
  }
}

/** Runs the check every two seconds. */
export function createRemovalWatch(parts: Watched & { clock: WorkerClock; onError(error: unknown): void }): Worker {
  const check = createRemovalCheck(parts)
  let isFailing = false
  const round = async (): Promise<void> => {
    try {
      await check()
      isFailing = false
    } catch (error) {
      // Reported once: readiness and failing requests show how long it lasts.
      if (!isFailing) parts.onError(error)
      isFailing = true
    }
  }
  return createLoop('watch-removals', watchEveryMs, parts.clock, round, parts.onError)
}
