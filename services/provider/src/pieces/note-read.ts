import type { Context } from '../context.ts'
import { recordRead } from './store.ts'

/** Notes that somebody read a piece. A database that is full or busy keeps nobody from reading. */
export async function noteRead({ db, clock, log }: Context, cid: string): Promise<void> {
  try {
    await db.write((trx) => recordRead(trx, cid, clock.now()))
  } catch (error) {
    log.warn({ err: error, piece: cid }, 'that a piece was read could not be recorded')
  }
}
