import type { Context } from '../context.ts'

/** Removes what is over: nothing of it could be used any more. */
export async function sweepSessions({ db, clock }: Context): Promise<void> {
  const now = clock.now()
  await db.write(async (trx) => {
    await trx.deleteFrom('spent_challenge').where('expires_at', '<', now).execute()
    await trx.deleteFrom('seen_proof').where('expires_at', '<', now).execute()
    await trx.deleteFrom('bearer_use').where('expires_at', '<', now).execute()
    await trx.deleteFrom('session').where('expires_at', '<', now).execute()
  })
}
