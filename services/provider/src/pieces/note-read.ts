import type { Context } from '../context.ts'
import { recordRead } from './store.ts'

/** Records that a piece was read. A full or busy database does not fail the read. */
export async function noteRead({ db, clock, failures }: Context, cid: string): Promise<void> {
  try {
    await db.write((trx) => recordRead(trx, cid, clock.now()))
  } catch (error) {
    failures.failed('read', error, 'failed to record the read of a piece', { piece: cid })
  }
}
