import type { Caller, Context } from '../../context.ts'
import { changeRecord, requireOwner } from './change-record.ts'
import { refuseRetired } from './retire.ts'

/**
 * Allows more addresses to read; existing shares stay. @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, KEY_LIMIT,
 * KEY_RETIRED
 */
export function shareRecord(context: Context, caller: Caller, cid: string, shareTo: readonly string[]) {
  return changeRecord(context, cid, caller, { kind: 'share', arguments: { shareTo } }, (record) => {
    requireOwner(record, caller)
    refuseRetired(record)
    const others = shareTo.filter((address) => address !== caller.address)
    return { sharedTo: [...new Set([...record.sharedTo, ...others])] }
  })
}

/**
 * Revokes the right to read from addresses; has no effect on addresses without it. @throws CairnError ACCESS_DENIED,
 * KEY_NOT_FOUND
 */
export function revokeRecord(context: Context, caller: Caller, cid: string, revokeTo: readonly string[]) {
  return changeRecord(context, cid, caller, { kind: 'revoke', arguments: { revokeTo } }, (record) => {
    requireOwner(record, caller)
    return { sharedTo: record.sharedTo.filter((address) => !revokeTo.includes(address)) }
  })
}
