import { canonicalCid } from '@cairn/crypto'
import {
  attestKey,
  CairnError,
  type CallDefinition,
  type CallResult,
  createConditions,
  explainAccess,
  explainConditions,
  getKeyStatus,
  listKeyEvents,
  listKeys,
  parseConditions,
  removeConditions,
  repairKey,
  retireKey,
  retrieveShard,
  revokeKey,
  saveShard,
  shareKey,
  transferOwnership,
  updateConditions,
} from '@cairn/protocol'
import type { RouteRequest } from '@cairn/service'
import type { Caller, Context } from '../context.ts'
import { signStatement } from '../sessions/tokens.ts'
import { explainDraft, explainRecord, requireAccess } from './access/access.ts'
import { retrieveRecord } from './access/retrieve.ts'
import { changeConditions, readConditions, writeConditions } from './changes/conditions-of.ts'
import { retireRecord } from './changes/retire.ts'
import { saveRecord } from './changes/save.ts'
import { revokeRecord, shareRecord } from './changes/share.ts'
import { transferRecord } from './changes/transfer.ts'
import { listEvents } from './key-events.ts'
import { listRecords } from './list.ts'
import { promoteRecord } from './peers/promote.ts'
import { confirmRestored, repairRecord } from './peers/repair.ts'
import { requireConfirmed } from './peers/restored.ts'
import { makeStatement } from './peers/statement.ts'
import { describeRecord } from './status.ts'
import { findRecord, type KeyRecord } from './store.ts'

const done = (data: { version: number; waits?: boolean; openConditions?: number[] }) => ({
  message: 'success' as const,
  data,
})
const describeOpen = (openConditions: number[]) => (openConditions.length === 0 ? {} : { openConditions })

function logAccess({ accesses }: Context, { row }: KeyRecord, { address }: Caller, outcome: 'opened' | 'denied'): void {
  accesses.note({ cid: row.cid, owner: row.owner, address, outcome })
}

/** Handler of a call, independent of HTTP. */
export type Work<C extends CallDefinition> = (
  request: Pick<RouteRequest<C, Caller>, 'input' | 'caller' | 'signal'> & {
    /** IP address of the client. */
    ip: string
  },
) => Promise<CallResult<C>>

/** Registers the handler of one call. */
export type Bind = <C extends CallDefinition>(call: C, work: Work<C>) => void

/**
 * Registers the calls about keys, rights and conditions.
 * @param settle called after every save: only later is it known whether three nodes have it; `waits` if a key in force
 *   waits to be replaced by the saved one
 */
export function bindShardCalls(
  bind: Bind,
  context: Context,
  settle: (cid: string, waits: boolean | undefined) => void,
): void {
  bind(saveShard, async ({ input: { body }, caller }) => {
    const cid = canonicalCid(body.cid)
    const { payload, set, spare, sharedTo } = body
    const saved = await saveRecord(context, caller, {
      cid,
      cidAsGiven: body.cid,
      payload,
      set,
      spare,
      sharedTo: sharedTo ?? [],
    })
    settle(cid, saved.waits)
    return done(saved)
  })
  bind(shareKey, async ({ input: { body }, caller }) =>
    done(await shareRecord(context, caller, canonicalCid(body.cid), body.shareTo)),
  )
  bind(revokeKey, async ({ input: { body }, caller }) =>
    done(await revokeRecord(context, caller, canonicalCid(body.cid), body.revokeTo)),
  )
  bind(retrieveShard, async ({ input: { body }, caller, signal, ip }) => {
    const cid = canonicalCid(body.cid)
    const question = { address: caller.address, dynamicData: body.dynamicData, signal, ip }
    const found = await findRecord(context.db.read, cid)
    if (found === undefined) throw new CairnError('KEY_NOT_FOUND')
    const requireLogged = (record: KeyRecord) =>
      requireAccess(context, record, question).catch((error: unknown) => {
        if (CairnError.is(error, 'ACCESS_DENIED')) {
          // Its rights may be older than those of the reader.
          requireConfirmed(record)
          logAccess(context, record, caller, 'denied')
        }
        throw error
      })
    await requireLogged(found)
    await confirmRestored(context, cid)
    await promoteRecord(context, cid)
    const record = await findRecord(context.db.read, cid)
    if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
    // Rights may have changed while peers were queried.
    if (record.row.digest !== found.row.digest) await requireLogged(record)
    const retrieved = await retrieveRecord(context, record, body.withAlternatives ?? false)
    logAccess(context, record, caller, 'opened')
    return retrieved
  })
  bind(transferOwnership, async ({ input: { body }, caller }) => {
    await transferRecord(context, caller, canonicalCid(body.cid), body.newOwner, body.resetSharedTo ?? true)
    // Published clients need five equal bodies here, so the answer contains nothing specific to this node.
    return { message: 'success' as const }
  })
  bind(retireKey, async ({ input: { body }, caller }) =>
    done(await retireRecord(context, caller, canonicalCid(body.cid), body.successor)),
  )

  bind(createConditions, async ({ input: { body }, caller, ip }) => {
    const cid = canonicalCid(body.cid)
    const { set, openConditions } = await readConditions(context, { caller, cid, ip }, body)
    const { payload, sharedTo } = body
    const saved = await saveRecord(context, caller, {
      cid,
      cidAsGiven: body.cid,
      payload,
      set: body.set,
      spare: body.spare,
      sharedTo: sharedTo ?? [],
      conditions: writeConditions(set),
      isOwnerless: set.decryptionType === 'ACCESS_CONDITIONS',
    })
    settle(cid, saved.waits)
    return done({ ...saved, ...describeOpen(openConditions) })
  })
  bind(updateConditions, async ({ input: { body }, caller, ip }) => {
    const cid = canonicalCid(body.cid)
    const { set, openConditions } = await readConditions(context, { caller, cid, ip }, body, { allowEmpty: true })
    const isOwnerless = set.decryptionType === 'ACCESS_CONDITIONS'
    const conditions = set.conditions.length === 0 ? null : writeConditions(set)
    const changed = await changeConditions(context, caller, cid, conditions, { isOwnerless })
    return done({ ...changed, ...describeOpen(openConditions) })
  })
  bind(removeConditions, async ({ input: { body }, caller }) =>
    done(await changeConditions(context, caller, canonicalCid(body.cid), null)),
  )
  bind(explainAccess, async ({ input: { body }, caller, signal, ip }) => {
    const record = await findRecord(context.db.read, canonicalCid(body.cid))
    if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
    requireConfirmed(record)
    const address = body.about ?? caller.address
    if (address !== caller.address && record.row.owner !== caller.address) throw new CairnError('ACCESS_DENIED')
    const question = { address, dynamicData: body.dynamicData, signal, ip }
    return explainRecord(context, record, question, caller.address)
  })
  bind(explainConditions, async ({ input: { body }, caller, signal, ip }) => {
    const { about: address = caller.address, dynamicData } = body
    return explainDraft(context, parseConditions(body), { address, dynamicData, signal, ip }, caller.address)
  })

  bind(getKeyStatus, async ({ input: { params }, caller }) => describeRecord(context, caller, canonicalCid(params.cid)))
  bind(listKeys, async ({ input: { query }, caller }) => listRecords(context, caller.address, query))
  bind(listKeyEvents, async ({ input: { query }, caller }) => {
    const { cid, ...page } = query
    return listEvents(context, caller.address, { ...page, cid: cid === undefined ? undefined : canonicalCid(cid) })
  })
  bind(repairKey, async ({ input: { body }, caller }) => {
    const data = await repairRecord(context, caller, canonicalCid(body.cid), body.discardVersion)
    if (data === undefined) throw new CairnError('KEY_NOT_FOUND')
    return { message: 'success' as const, data }
  })
  bind(attestKey, async ({ input: { body }, caller }) => {
    if (caller.peer === undefined) throw new CairnError('INVALID_SIGNATURE')
    const statement = await makeStatement(context, canonicalCid(body.cid))
    if (statement === undefined) throw new CairnError('KEY_NOT_FOUND')
    return { statement: await signStatement(context, statement) }
  })
}
