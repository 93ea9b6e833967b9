import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import type { Egress } from './types.ts'

const dayMs = 86_400_000
const flushEveryMs = 10_000
/** Roots noted between two writes. More are not counted, so that memory is bounded. */
const maxRoots = 20_000
/** Rows per statement. */
const batchRows = 200
/** How long the figures stay. */
const keptDays = 400

/** Counts bytes by root and day. Only content of accounts is written: the gateway also serves blocks below other roots. */
export function createEgress({ db, clock }: Pick<Context, 'db' | 'clock'>): Egress {
  let noted = new Map<string, number>()
  let prunedDay = 0

  const add = (root: string, bytes: number): void => {
    const known = noted.get(root)
    if (known === undefined && noted.size >= maxRoots) return
    noted.set(root, (known ?? 0) + bytes)
  }

  const write = async (batch: ReadonlyMap<string, number>, day: number): Promise<void> => {
    const roots = [...batch.keys()].map((root) => Buffer.from(root, 'base64'))
    const stored = await db.read
      .selectFrom('upload')
      .select('root_multihash')
      .distinct()
      .where('root_multihash', 'in', roots)
      .execute()
    const rows = stored.map(({ root_multihash }) => ({
      day,
      root_multihash,
      bytes: batch.get(Buffer.from(root_multihash).toString('base64')) ?? 0,
    }))
    if (rows.length === 0) return
    await db.write((trx) =>
      trx
        .insertInto('egress')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['day', 'root_multihash']).doUpdateSet(({ ref }) => ({
            bytes: sql<number>`${ref('egress.bytes')} + ${ref('excluded.bytes')}`,
          })),
        )
        .execute(),
    )
  }

  return {
    note: (rootMultihash, bytes) => add(Buffer.from(rootMultihash).toString('base64'), bytes),
    async flush() {
      const day = Math.floor(clock.now() / dayMs)
      const taken = [...noted]
      noted = new Map()
      for (let from = 0; from < taken.length; from += batchRows) {
        try {
          await write(new Map(taken.slice(from, from + batchRows)), day)
        } catch (error) {
          // The next round writes them.
          for (const [root, bytes] of taken.slice(from)) add(root, bytes)
          throw error
        }
      }
      if (day === prunedDay) return
      prunedDay = day
      await db.write((trx) =>
        trx
          .deleteFrom('egress')
          .where('day', '<', day - keptDays)
          .execute(),
      )
    },
  }
}

/** Writes the counted bytes to the database every few seconds, and on shutdown. */
export function createEgressWorker(context: Pick<Context, 'egress' | 'failures'>, clock: WorkerClock): Worker {
  const loop = createLoop(
    'egress',
    flushEveryMs,
    clock,
    () => context.egress.flush(),
    (error) => context.failures.failed('egress', error, 'worker failed', { worker: 'egress' }),
  )
  return {
    name: 'egress',
    async run(signal) {
      await loop.run(signal)
      await context.egress.flush()
    },
  }
}

/** Returns the bytes of the account's content that the gateway sent, by day, oldest first. Omits days without traffic. */
export async function findEgress(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  days: number,
): Promise<{ day: string; bytes: number }[]> {
  const today = Math.floor(clock.now() / dayMs)
  const rows = await db.read
    // From the roots of the account: the rows of a day are those of all accounts.
    .selectFrom(({ selectFrom }) =>
      selectFrom('upload').select('root_multihash').distinct().where('address', '=', address).as('own'),
    )
    .crossJoin('egress')
    .select(({ fn }) => ['day', fn.sum<number | string>('bytes').as('bytes')])
    .whereRef('egress.root_multihash', '=', 'own.root_multihash')
    .where('day', '>', today - days)
    .groupBy('day')
    .orderBy('day')
    .execute()
  return rows.map(({ day, bytes }) => ({
    day: new Date(Number(day) * dayMs).toISOString().slice(0, 10),
    bytes: Number(bytes),
  }))
}
