import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import type { Caller, Context } from '../../context.ts'
import type { Trx } from '../store.ts'
import { changeRecord, requireOwner } from './change-record.ts'
import { refuseRetired } from './retire.ts'
import { reseal } from './save.ts'

/** How long the previous owner may repeat a transfer that did not reach all nodes. */
const repeatMs = 30 * 24 * 3_600_000

/** A transfer. A node that learned of it from its peers does not know whether the shares were to be cleared. */
const transferArguments = v.object({ from: v.string(), to: v.string(), reset: v.optional(v.boolean()) })
type Transfer = v.InferOutput<typeof transferArguments> & { at: number }

/** Maximum number of a record's last transfers that are read. */
const maxTransfers = 100

/**
 * Transfers a file to another owner. The previous owner may repeat the same transfer to complete it on nodes that
 * missed it; conditions stay.
 * @param reset whether the shares are cleared
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
        message: 'The address already owns the file',
        hint: 'Use another address.',
      })
    }
    const sharedTo = reset ? [] : record.sharedTo.filter((address) => address !== newOwner)
    return { ...reseal(context, record, newOwner, record.row.version + 1), sharedTo }
  })
}

function isSame({ from, to, reset = undefined }: Transfer, wanted: Omit<Transfer, 'at'>): boolean {
  return from === wanted.from && to === wanted.to && (reset === undefined || reset === wanted.reset)
}

/**
 * Returns the transfers of a record, the last first: those requested here by its owners, and those reported by peers.
 */
export async function findTransfers(db: Trx, cid: string): Promise<Transfer[]> {
  const rows = await db
    .selectFrom('change')
    .select(['arguments', 'at'])
    .where('cid', '=', cid)
    .where(({ eb, or, and }) =>
      or([eb('kind', '=', 'transfer'), and([eb('kind', '=', 'repair'), eb('arguments', '<>', '{}')])]),
    )
    .orderBy('seq', 'desc')
    .limit(maxTransfers)
    .execute()
  return rows.flatMap((row) => {
    // A repair that kept the owner contains no transfer.
    const given = v.safeParse(transferArguments, JSON.parse(row.arguments))
    return given.success ? [{ ...given.output, at: row.at }] : []
  })
}
