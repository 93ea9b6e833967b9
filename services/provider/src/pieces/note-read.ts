import type { Context } from '../context.ts'
import { recordRead } from './store.ts'

/** Notes that somebody read a piece. A database that is full or busy keeps nobody from reading. */
export async function noteRead({ db, clock, failures }: Context, cid: string): Promise<void> {
  try {
    await db.write((trx) => recordRead(trx, cid, clock.now()))
  } catch (error) {
    failures.failed('read', error, 'that a piece was read could not be recorded', { piece: cid })
  }
}
