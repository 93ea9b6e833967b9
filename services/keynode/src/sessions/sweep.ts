import { clockSkewMs } from '@cairn/protocol'
import type { Context } from '../context.ts'

/** Maximum difference of two clocks that are both off by the allowed skew. */
const skewMs = 2 * clockSkewMs

/** Deletes expired rows, once no replica could use them any more, even with a clock that is behind. */
export async function sweepSessions({ db, clock }: Context): Promise<void> {
  const before = clock.now() - skewMs
  await db.write(async (trx) => {
    await trx.deleteFrom('spent_challenge').where('expires_at', '<', before).execute()
    await trx.deleteFrom('seen_proof').where('expires_at', '<', before).execute()
    await trx.deleteFrom('bearer_use').where('expires_at', '<', before).execute()
    await trx.deleteFrom('session').where('expires_at', '<', before).execute()
  })
}
