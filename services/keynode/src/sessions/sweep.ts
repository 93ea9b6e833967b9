import { clockSkewMs } from '@cairn/protocol'
import type { Context } from '../context.ts'

/** Two clocks that are both as far off as is allowed, each to its side. */
const skewMs = 2 * clockSkewMs

/** Removes what is over: nothing of it could be used any more, not even with a replica whose clock is behind. */
export async function sweepSessions({ db, clock }: Context): Promise<void> {
  const before = clock.now() - skewMs
  await db.write(async (trx) => {
    await trx.deleteFrom('spent_challenge').where('expires_at', '<', before).execute()
    await trx.deleteFrom('seen_proof').where('expires_at', '<', before).execute()
    await trx.deleteFrom('bearer_use').where('expires_at', '<', before).execute()
    await trx.deleteFrom('session').where('expires_at', '<', before).execute()
  })
}
