import {
  attestKey,
  CairnError,
  createConditions,
  explainAccess,
  explainConditions,
  getConditions,
  getKeyStatus,
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
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { requireOwnNumber, route } from '../http/route.ts'
import { findCaller } from '../sessions/authorize.ts'
import { signStatement } from '../sessions/tokens.ts'
import { explainDraft, explainRecord, requireAccess } from './access.ts'
import { canonicalCid } from './canonical-cid.ts'
import { changeConditions, conditionsOf, listConditions, readConditions, writeConditions } from './conditions-of.ts'
import { listRecords } from './list.ts'
import { promoteRecord } from './promote.ts'
import { repairRecord } from './repair.ts'
import { retireRecord } from './retire.ts'
import { retrieveRecord } from './retrieve.ts'
import { saveRecord } from './save.ts'
import { revokeRecord, shareRecord } from './share.ts'
import { makeStatement } from './statement.ts'
import { describeRecord } from './status.ts'
import { findRecord } from './store.ts'
import { transferRecord } from './transfer.ts'

/** Published clients make their five calls within this time. */
const settleAgainMs = 10_000

const done = (data: { version: number }) => ({ message: 'success' as const, data })

/** Binds the calls about keys, rights and conditions. */
export function registerShardRoutes(app: FastifyInstance, context: Context): void {
  const own = (node: string) => requireOwnNumber(context, node)
  /**
   * Settles a save in the background, and once more when the other nodes have had their call. What fails is tried again by
   * whoever asks next, and by the sweep.
   */
  const settle = (cid: string) => {
    const once = () => {
      promoteRecord(context, cid).catch((error: unknown) =>
        context.failures.failed('save', error, 'settling a save failed'),
      )
    }
    once()
    // It keeps nothing alive: at the end of the process the sweep of the next one takes over.
    setTimeout(once, settleAgainMs).unref()
  }

  route(app, context, saveShard, async ({ input: { params, body }, caller }) => {
    own(params.node)
    const cid = canonicalCid(body.cid)
    const { payload, set, sharedTo } = body
    const saved = await saveRecord(context, caller, {
      cid,
      cidAsGiven: body.cid,
      payload,
      set,
      sharedTo: sharedTo ?? [],
    })
    settle(cid)
    return done(saved)
  })
  route(app, context, shareKey, async ({ input: { params, body }, caller }) => {
    own(params.node)
    return done(await shareRecord(context, caller, canonicalCid(body.cid), body.shareTo))
  })
  route(app, context, revokeKey, async ({ input: { params, body }, caller }) => {
    own(params.node)
    return done(await revokeRecord(context, caller, canonicalCid(body.cid), body.revokeTo))
  })
  route(app, context, retrieveShard, async ({ input: { params, body }, caller, signal }) => {
    own(params.node)
    const cid = canonicalCid(body.cid)
    const question = { address: caller.address, dynamicData: body.dynamicData, signal }
    const found = await findRecord(context.db.read, cid)
    if (found === undefined) throw new CairnError('KEY_NOT_FOUND')
    await requireAccess(context, found, question)
    await promoteRecord(context, cid)
    const record = await findRecord(context.db.read, cid)
    if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
    // Rights may have changed while peers were asked.
    if (record.row.digest !== found.row.digest) await requireAccess(context, record, question)
    return retrieveRecord(context, record, body.withAlternatives ?? false)
  })
  route(app, context, transferOwnership, async ({ input: { params, body }, caller }) => {
    own(params.node)
    await transferRecord(context, caller, canonicalCid(body.cid), body.newOwner, body.resetSharedTo ?? true)
    // Published clients need five equal bodies here, so nothing of this node's own is in it.
    return { message: 'success' as const }
  })
  route(app, context, retireKey, async ({ input: { params, body }, caller }) => {
    own(params.node)
    return done(await retireRecord(context, caller, canonicalCid(body.cid), body.successor))
  })

  route(app, context, createConditions, async ({ input: { params, body }, caller }) => {
    own(params.node)
    const cid = canonicalCid(body.cid)
    const set = await readConditions(context, caller, cid, body)
    const { payload, sharedTo } = body
    const saved = await saveRecord(context, caller, {
      cid,
      cidAsGiven: body.cid,
      payload,
      set: body.set,
      sharedTo: sharedTo ?? [],
      conditions: writeConditions(set),
      isOwnerless: set.decryptionType === 'ACCESS_CONDITIONS',
    })
    settle(cid)
    return done(saved)
  })
  route(app, context, updateConditions, async ({ input: { params, body }, caller }) => {
    own(params.node)
    const cid = canonicalCid(body.cid)
    const set = await readConditions(context, caller, cid, body, { allowEmpty: true })
    const isOwnerless = set.decryptionType === 'ACCESS_CONDITIONS'
    const conditions = set.conditions.length === 0 ? null : writeConditions(set)
    return done(await changeConditions(context, caller, cid, conditions, { isOwnerless }))
  })
  route(app, context, removeConditions, async ({ input: { params, body }, caller }) => {
    own(params.node)
    return done(await changeConditions(context, caller, canonicalCid(body.cid), null))
  })
  route(app, context, getConditions, async ({ input: { params }, raw }) => {
    const caller = await findCaller(context, raw)
    const record = await findRecord(context.db.read, canonicalCid(params.cid))
    if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
    const { row, sharedTo } = record
    const set = conditionsOf(row)
    const mayKnow = caller !== undefined && (row.owner === caller.address || sharedTo.includes(caller.address))
    return {
      aggregator: set?.aggregator ?? '',
      ...listConditions(set),
      sharedTo: mayKnow ? sharedTo : [],
      owner: row.owner,
      cid: params.cid,
    }
  })
  route(app, context, explainAccess, async ({ input: { params, body }, caller, signal }) => {
    own(params.node)
    const record = await findRecord(context.db.read, canonicalCid(body.cid))
    if (record === undefined) throw new CairnError('KEY_NOT_FOUND')
    const address = body.about ?? caller.address
    if (address !== caller.address && record.row.owner !== caller.address) throw new CairnError('ACCESS_DENIED')
    const question = { address, dynamicData: body.dynamicData, signal }
    return explainRecord(context, record, question, caller.address)
  })
  route(app, context, explainConditions, async ({ input: { params, body }, caller, signal }) => {
    own(params.node)
    const { about: address = caller.address, dynamicData } = body
    return explainDraft(context, parseConditions(body), { address, dynamicData, signal }, caller.address)
  })

  route(app, context, getKeyStatus, async ({ input: { params }, caller }) => {
    own(params.node)
    return describeRecord(context, caller, canonicalCid(params.cid))
  })
  route(app, context, listKeys, async ({ input: { params, query }, caller }) => {
    own(params.node)
    return listRecords(context, caller.address, query)
  })
  route(app, context, repairKey, async ({ input: { params, body }, caller }) => {
    own(params.node)
    const data = await repairRecord(context, caller, canonicalCid(body.cid))
    if (data === undefined) throw new CairnError('KEY_NOT_FOUND')
    return { message: 'success' as const, data }
  })
  route(app, context, attestKey, async ({ input: { params, body }, caller }) => {
    own(params.node)
    if (caller.peer === undefined) throw new CairnError('INVALID_SIGNATURE')
    const statement = await makeStatement(context, canonicalCid(body.cid))
    if (statement === undefined) throw new CairnError('KEY_NOT_FOUND')
    return { statement: await signStatement(context, statement) }
  })
}
