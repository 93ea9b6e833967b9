import { createHmac } from 'node:crypto'
import { clockSkewMs } from '@cairn/protocol'
import { rateLimited, rateState, type SharedRates } from '@cairn/service'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { deriveKey } from '../secrets/derive-key.ts'

const minuteMs = 60_000

/**
 * Rates that all replicas of a database share. One row per call and caller states when its bucket is full again, so one
 * statement takes a token. Callers are stored as pseudonyms, until their bucket is full.
 */
export function createSharedRates({
  config,
  db,
  clock,
  secret,
}: Pick<Context, 'config' | 'db' | 'clock' | 'secret'>): SharedRates {
  const key = deriveKey(secret, 'call-rates')
  return {
    async consume(caller, perMinute) {
      if (config.rateFactor === 0) return undefined
      const size = perMinute * config.rateFactor
      const name = createHmac('sha256', key).update(caller).digest('hex').slice(0, 32)
      const now = clock.now()
      const tokenMs = Math.ceil(minuteMs / size)
      // A bucket is full within a minute: a later time is that of a clock that was set back since.
      const latest = now + minuteMs + clockSkewMs
      const fullAt = sql<number>`case
        when call_rate.full_at < ${now} or call_rate.full_at > ${latest} then ${now} else call_rate.full_at
      end + ${tokenMs}`
      const taken = await db.write((trx) =>
        trx
          .insertInto('call_rate')
          .values({ name, full_at: now + tokenMs })
          .onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet({ full_at: fullAt })
              .where(fullAt, '<=', now + minuteMs),
          )
          .returning('full_at')
          .executeTakeFirst(),
      )
      if (taken === undefined) {
        const row = await db.read.selectFrom('call_rate').select('full_at').where('name', '=', name).executeTakeFirst()
        throw rateLimited(size, (row?.full_at ?? now) + tokenMs - minuteMs - now)
      }
      // The first call of a caller removes the rows of buckets that are full again.
      if (taken.full_at === now + tokenMs) {
        await db.write((trx) => trx.deleteFrom('call_rate').where('full_at', '<', now).execute())
      }
      return rateState(size, (now + minuteMs - taken.full_at) / tokenMs)
    },
  }
}
