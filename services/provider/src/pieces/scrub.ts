import { setTimeout as delay } from 'node:timers/promises'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { openKept } from './open-kept.ts'
import { readPayload } from './read-payload.ts'
import { findPiece, nextToScrub, recordChecked } from './store.ts'

/** Minimum time between two full reads of a piece. */
const againMs = 24 * 3_600_000
/** Pause when nothing is due, or after an error. */
const idleMs = 60_000

/**
 * Reads the least recently checked piece completely, at the configured rate, and marks it if it is damaged. Returns
 * its CID; undefined when none was checked before `before`.
 * @throws CairnError PIECE_DAMAGED if the damage could not be recorded: the piece would be the next one again
 */
export async function scrubNext(context: Context, before: number, signal: AbortSignal): Promise<string | undefined> {
  const { config, db, clock } = context
  const row = await nextToScrub(db.read, { before, now: clock.now() })
  if (row === undefined) return undefined
  try {
    const kept = await openKept(context, row.cid)
    for await (const bytes of readPayload(context, kept, { start: 0, end: kept.piece.payloadBytes })) {
      await delay((bytes.length * 1000) / config.scrubBytesPerSecond, undefined, { signal })
    }
    await db.write((trx) => recordChecked(trx, row.cid, clock.now()))
  } catch (error) {
    if (!CairnError.is(error, 'PIECE_NOT_FOUND') && !CairnError.is(error, 'PIECE_DAMAGED')) throw error
    // Removed or damaged meanwhile: both are recorded elsewhere.
    const now = await findPiece(db.read, row.cid)
    if (now?.state === 'kept' && now.kept_since === row.kept_since) throw error
  }
  return row.cid
}

/** Reads kept pieces repeatedly in the background, until disposed of. */
export function startScrub(context: Context): AsyncDisposable {
  const { config, clock, failures } = context
  const ending = new AbortController()
  const { signal } = ending
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const found = await scrubNext(context, clock.now() - againMs, signal)
        if (found !== undefined) continue
      } catch (error) {
        if (signal.aborted) return
        failures.failed('scrub', error, 'scrubbing failed')
      }
      await delay(idleMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const ended = config.scrubBytesPerSecond === 0 ? Promise.resolve() : run()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await ended
    },
  }
}
