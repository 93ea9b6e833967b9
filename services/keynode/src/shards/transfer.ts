import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import type { Caller, Context } from '../context.ts'
import { changeRecord, requireOwner } from './change-record.ts'
import { reseal } from './save.ts'
import { findLastTransfer } from './store.ts'

/** How long the old owner may repeat a transfer that did not reach all nodes. */
const repeatMs = 30 * 24 * 3_600_000

const transferArguments = v.object({ from: v.string(), to: v.string(), reset: v.boolean() })

/**
 * Gives a file to another owner. The old owner may repeat the same transfer, so that it can be finished on nodes that missed
 * it; conditions stay.
 * @param reset whether the list of addresses is emptied
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, INVALID_REQUEST (to oneself)
 */
export function transferRecord(context: Context, caller: Caller, cid: string, newOwner: string, reset: boolean) {
  const wanted = { from: caller.address, to: newOwner, reset }
  return changeRecord(context, cid, caller, { kind: 'transfer', arguments: wanted }, async (record, trx) => {
    if (record.row.owner === newOwner) {
      const last = await findLastTransfer(trx, cid)
      const isSame = last !== undefined && isSameTransfer(last.arguments, wanted)
      if (isSame && context.clock.now() - last.at <= repeatMs) return 'same'
    }
    requireOwner(record, caller)
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

function isSameTransfer(json: string, wanted: v.InferOutput<typeof transferArguments>): boolean {
  const { from, to, reset } = v.parse(transferArguments, JSON.parse(json))
  return from === wanted.from && to === wanted.to && reset === wanted.reset
}
