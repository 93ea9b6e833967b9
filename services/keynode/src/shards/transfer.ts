import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import type { Caller, Context } from '../context.ts'
import { changeRecord, requireOwner } from './change-record.ts'
import { refuseRetired } from './retire.ts'
import { reseal } from './save.ts'
import type { Trx } from './store.ts'

/** How long the old owner may repeat a transfer that did not reach all nodes. */
const repeatMs = 30 * 24 * 3_600_000

/** Who gave a file to whom. A node that learned of it from its peers does not know whether the list was to be emptied. */
const transferArguments = v.object({ from: v.string(), to: v.string(), reset: v.optional(v.boolean()) })
type Transfer = v.InferOutput<typeof transferArguments> & { at: number }

/** As many of the last transfers of a record as are looked at. */
const transfersMost = 100

/**
 * Gives a file to another owner. The old owner may repeat the same transfer, so that it can be finished on nodes that missed
 * it; conditions stay.
 * @param reset whether the list of addresses is emptied
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, KEY_RETIRED, INVALID_REQUEST (to oneself)
 */
export function transferRecord(context: Context, caller: Caller, cid: string, newOwner: string, reset: boolean) {
  const wanted = { from: caller.address, to: newOwner, reset }
  return changeRecord(context, cid, caller, { kind: 'transfer', arguments: wanted }, async (record, trx) => {
    if (record.row.owner === newOwner) {
      const [last] = await findTransfers(trx, cid)
      if (last !== undefined && isSame(last, wanted) && context.clock.now() - last.at <= repeatMs) return 'same'
    }
    requireOwner(record, caller)
    refuseRetired(record)
    if (newOwner === caller.address) {
      throw new CairnError('INVALID_REQUEST', {
        message: 'The new owner is the owner already',
        hint: 'Name another address.',
      })
    }
    const sharedTo = reset ? [] : record.sharedTo.filter((address) => address !== newOwner)
    return { ...reseal(context, record, newOwner, record.row.version + 1), sharedTo }
  })
}

function isSame({ from, to, reset = undefined }: Transfer, wanted: Omit<Transfer, 'at'>): boolean {
  return from === wanted.from && to === wanted.to && (reset === undefined || reset === wanted.reset)
}

/** The transfers of a record, the last first: those that its owners asked for here, and those that peers told of. */
export async function findTransfers(db: Trx, cid: string): Promise<Transfer[]> {
  const rows = await db
    .selectFrom('change')
    .select(['arguments', 'at'])
    .where('cid', '=', cid)
    .where(({ eb, or, and }) =>
      or([eb('kind', '=', 'transfer'), and([eb('kind', '=', 'repair'), eb('arguments', '<>', '{}')])]),
    )
    .orderBy('seq', 'desc')
    .limit(transfersMost)
    .execute()
  return rows.flatMap((row) => {
    // A repair that left the owner as it was says nothing of one.
    const given = v.safeParse(transferArguments, JSON.parse(row.arguments))
    return given.success ? [{ ...given.output, at: row.at }] : []
  })
}
