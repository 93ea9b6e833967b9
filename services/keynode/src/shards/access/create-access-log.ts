import { zeroAddress } from '@cairn/protocol'
import type { LogGate } from '@cairn/service'
import { sql } from 'kysely'
import type { Clock } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import type { Trx } from '../store.ts'
import type { Access, AccessLog } from './access-log.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const flushAfterMs = 1_000
/** Accesses noted between two writes. More are not listed, so that memory is bounded. */
const maxNoted = 10_000
/** Rows per file and outcome: an attacker with many addresses cannot fill the disk, and refusals push out no opening. */
export const maxAccessRows = 1_000

type Noted = Access & { hour: number; count: number; first_at: number; last_at: number }

/** @param days how long rows are kept; 0 keeps none */
export function createAccessLog(
  { db, clock, failures }: { db: Database; clock: Clock; failures: LogGate },
  days: number,
): AccessLog {
  let noted = new Map<string, Noted>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const add = (entry: Noted): void => {
    const key = JSON.stringify([entry.owner, entry.cid, entry.address, entry.outcome, entry.hour])
    const known = noted.get(key)
    if (known !== undefined) {
      known.count += entry.count
      known.first_at = Math.min(known.first_at, entry.first_at)
      known.last_at = Math.max(known.last_at, entry.last_at)
    } else if (noted.size < maxNoted) noted.set(key, entry)
  }

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const taken = [...noted.values()]
    noted = new Map()
    if (taken.length === 0) return
    try {
      await db.write(async (trx) => {
        for (const entry of taken) await write(trx, entry)
        const files = new Map(taken.map((entry) => [`${entry.outcome} ${entry.cid}`, entry]))
        for (const file of files.values()) await trim(trx, file)
      })
    } catch (error) {
      taken.forEach(add)
      throw error
    }
  }
  const flushLater = (): void => {
    timer ??= setTimeout(() => {
      flush().catch((error: unknown) => {
        failures.failed('accesses', error, 'failed to write the access log')
        flushLater()
      })
    }, flushAfterMs).unref()
  }

  return {
    note(access) {
      // No one may read the log of an ownerless file.
      if (days === 0 || access.owner === zeroAddress) return
      const at = clock.now()
      add({ ...access, hour: Math.floor(at / hourMs), count: 1, first_at: at, last_at: at })
      flushLater()
    },
    flush,
    async sweep() {
      const before = clock.now() - days * dayMs
      await db.write((trx) =>
        trx
          .deleteFrom('access')
          .$if(days > 0, (query) => query.where('last_at', '<', before))
          .execute(),
      )
    },
  }
}

async function write(trx: Trx, entry: Noted): Promise<void> {
  await trx
    .insertInto('access')
    .values(entry)
    .onConflict((conflict) =>
      conflict.columns(['cid', 'outcome', 'owner', 'address', 'hour']).doUpdateSet(({ ref }) => ({
        count: sql<number>`${ref('access.count')} + ${ref('excluded.count')}`,
        // The clock may have been set back.
        first_at: sql<number>`case when ${ref('excluded.first_at')} < ${ref('access.first_at')}
          then ${ref('excluded.first_at')} else ${ref('access.first_at')} end`,
        last_at: sql<number>`case when ${ref('excluded.last_at')} > ${ref('access.last_at')}
          then ${ref('excluded.last_at')} else ${ref('access.last_at')} end`,
      })),
    )
    .execute()
}

/** Deletes the oldest rows of a file beyond the maximum. */
async function trim(trx: Trx, { cid, outcome }: Access): Promise<void> {
  const rows = trx.selectFrom('access').where('cid', '=', cid).where('outcome', '=', outcome)
  const oldestKept = await rows
    .select('last_at')
    .orderBy('last_at', 'desc')
    .offset(maxAccessRows)
    .limit(1)
    .executeTakeFirst()
  if (oldestKept === undefined) return
  await trx
    .deleteFrom('access')
    .where('cid', '=', cid)
    .where('outcome', '=', outcome)
    .where('last_at', '<=', oldestKept.last_at)
    .execute()
}
