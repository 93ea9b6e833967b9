import { CairnError } from '@cairn/protocol'
import type { Caller, Context } from '../../context.ts'
import type { KeyRecord } from '../store.ts'
import { changeRecord, requireOwner } from './change-record.ts'

/**
 * Retires a key: only the owner receives it, and after 30 days it is destroyed. @throws CairnError ACCESS_DENIED,
 * KEY_NOT_FOUND
 */
export function retireRecord(context: Context, caller: Caller, cid: string, successor: string | undefined) {
  return changeRecord(context, cid, caller, { kind: 'retire', arguments: { successor } }, (record) => {
    requireOwner(record, caller)
    return { state: 'retired', successor: successor ?? record.row.successor, sharedTo: [], conditions: null }
  })
}

/**
 * Rejects transfers and shares of a retired key: no node returns it to anyone else, so they would have no effect.
 * @throws CairnError KEY_RETIRED
 */
export function refuseRetired({ row }: KeyRecord): void {
  if (row.state !== 'retired') return
  const { successor } = row
  throw new CairnError('KEY_RETIRED', successor === null ? {} : { details: { successor } })
}
