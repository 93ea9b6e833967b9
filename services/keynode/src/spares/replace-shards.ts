import { isWholeSet, recoverSpareShard, type SparePartOfNode } from '@cairn/crypto'
import { keyShardThreshold, maxSpareFiles, type ShardSet, shardSetSchema } from '@cairn/protocol'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { openParts, sealSpareShard } from '../shards/shards.ts'
import { askPeer, askPeers, type PeerFiles } from './ask-peers.ts'
import { findConsent } from './consent.ts'
import { listSpares, type OwnSpare } from './list.ts'
import type { SpareFile } from './message.ts'
import { createReceived, finishReplacement, putSpareInForce, type Received } from './put-in-force.ts'

/** Result of one pass over all files: how many steps were done, and how many files are left. */
export type Pass = { steps: number; left: number }

/**
 * Moves every file that takes part one step further: this node recovers its shard of the spare set from parts of its
 * peers; once all five nodes have theirs, it puts it in force; once all five have, it destroys the old one. Every step
 * can be repeated, and a node that stops anywhere continues.
 *
 * At most two nodes lie. The owner's commitments decide which shards are right. A set comes into force only when five
 * nodes state that they have their shard of it, so at least three do.
 * @returns undefined while the operator of this node does not replace shards
 */
export async function replaceShards(context: Context, signal: AbortSignal): Promise<Pass | undefined> {
  const until = await findConsent(context.db.read)
  const pass: Pass = { steps: 0, left: 0 }
  if (until === undefined || context.config.peers.length + 1 < keyShardThreshold) return undefined
  for (let after = ''; !signal.aborted; ) {
    const rows = await listSpares(context.db.read, { until, after, limit: maxSpareFiles })
    const last = rows.at(-1)
    if (last === undefined) break
    const cids = rows.map(({ cid }) => cid)
    const peers = await askPeers(context, cids, signal)
    for (const row of rows) count(pass, await attempt(context, row.cid, () => continueOwn(context, row, peers)))
    after = last.cid
  }
  await receiveUnknown(context, pass, signal)
  return pass
}

type Step = 'done' | 'waits' | 'skipped'

function count(pass: Pass, step: Step): void {
  if (step === 'done') pass.steps++
  if (step !== 'skipped') pass.left++
}

/** A single failing file must not block the others. */
async function attempt(context: Context, cid: string, run: () => Promise<Step>): Promise<Step> {
  try {
    return await run()
  } catch (error) {
    context.failures.failed('spares', error, 'failed to replace a shard', { cid })
    return 'waits'
  }
}

async function continueOwn(context: Context, row: OwnSpare, peers: PeerFiles): Promise<Step> {
  const { cid, set_id: setId, spare_id: spareId } = row
  const files = filesOf(peers, cid)
  const inForce = files.filter(({ file }) => file.inForce === spareId).length
  if (row.inForce === spareId) {
    if (inForce < context.config.peers.length) return 'waits'
    await finishReplacement(context, { cid, setId })
    return 'done'
  }
  const set = v.parse(shardSetSchema, JSON.parse(row.spare_set))
  if (row.shard === null) {
    const own = row.parts === null ? undefined : openParts(context, cid, spareId, row.parts)[context.config.node - 1]
    const parts = own === undefined ? [] : [{ node: context.config.node, part: own }]
    return receive(context, { cid, setId, set, isKnown: true }, [...parts, ...partsOf(files, setId, spareId)])
  }
  const held = files.filter(({ file }) => file.inForce === spareId || isHeldBy(file, spareId)).length
  if (held < context.config.peers.length && inForce < keyShardThreshold) return 'waits'
  return (await putSpareInForce(context, { cid, setId, set, sealed: row.shard })) ? 'done' : 'waits'
}

type PeerFile = { node: number; file: SpareFile }

function filesOf(peers: PeerFiles, cid: string): PeerFile[] {
  return [...peers].flatMap(([node, files]) => {
    const file = files.get(cid)
    return file === undefined ? [] : [{ node, file }]
  })
}

function isHeldBy({ offer }: SpareFile, spareId: string): boolean {
  return offer !== undefined && offer.set.id === spareId && offer.isHeld
}

function partsOf(files: readonly PeerFile[], setId: string, spareId: string): SparePartOfNode[] {
  return files.flatMap(({ node, file: { offer } }) =>
    offer?.part === undefined || offer.setId !== setId || offer.set.id !== spareId ? [] : [{ node, part: offer.part }],
  )
}

/** Recovers this node's shard of a spare set and stores it, sealed. @param isKnown whether this node has a record of the file */
async function receive(
  context: Context,
  { cid, setId, set, isKnown }: Omit<Received, 'sealed'> & { isKnown: boolean },
  parts: readonly SparePartOfNode[],
): Promise<Step> {
  const { node } = context.config
  const recovered = recoverSpareShard(set, node, parts)
  if (recovered === undefined) return 'waits'
  if (recovered.wrongNodes.length > 0)
    context.log.warn({ cid, nodes: recovered.wrongNodes }, 'wrong part of a spare shard')
  const shard = sealSpareShard(context, cid, set.id, recovered.shard)
  const stored = await context.db.write(async (trx) => {
    const ofFile = trx.updateTable('spare').set({ shard }).where('cid', '=', cid).where('set_id', '=', setId)
    const kept = await ofFile.where('spare_id', '=', set.id).returning('cid').executeTakeFirst()
    // The owner may have dealt another spare set or transferred the file meanwhile.
    if (kept !== undefined || isKnown) return kept
    const row = { cid, set_id: setId, spare_id: set.id, spare_set: JSON.stringify(set), parts: null, shard }
    return trx
      .insertInto('spare')
      .values({ ...row, saved_at: context.clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('cid')
      .executeTakeFirst()
  })
  return stored === undefined ? 'waits' : 'done'
}

/** Receives shards of files that this node has no record of, because it replaced another node. */
async function receiveUnknown(context: Context, pass: Pass, signal: AbortSignal): Promise<void> {
  let ended = 0
  await Promise.all(
    context.config.peers.map(async (peer) => {
      // Three lists name every file, or their nodes are offline; a further one, of a node that lies, may be endless.
      for (let after = ''; !signal.aborted && ended < keyShardThreshold; ) {
        const listed = (await askPeer(context, peer, { after }, signal))?.listed
        if (listed === undefined) break
        const unknown = await findUnknown(context, listed.cids)
        if (unknown.length > 0) {
          const peers = await askPeers(context, unknown, signal)
          for (const cid of unknown)
            count(pass, await attempt(context, cid, () => continueUnknown(context, cid, peers)))
        }
        const last = listed.cids.at(-1)
        if (!listed.hasMore || last === undefined || last <= after) break
        after = last
      }
      ended++
    }),
  )
}

async function findUnknown({ db }: Context, cids: readonly string[]): Promise<string[]> {
  if (cids.length === 0) return []
  const rows = await db.read
    .selectFrom('key')
    .select('cid')
    .where('cid', 'in', [...cids])
    .execute()
  const known = new Set(rows.map(({ cid }) => cid))
  return cids.filter((cid) => !known.has(cid))
}

async function continueUnknown(context: Context, cid: string, peers: PeerFiles): Promise<Step> {
  const files = filesOf(peers, cid)
  const agreed = findAgreedOffer(files)
  if (agreed === undefined) return 'skipped'
  const { setId, set } = agreed
  const row = await context.db.read
    .selectFrom('spare')
    .selectAll()
    .where('cid', '=', cid)
    .where('set_id', '=', setId)
    .executeTakeFirst()
  if (row?.shard == null) return receive(context, { cid, setId, set, isKnown: false }, partsOf(files, setId, set.id))
  if (files.filter(({ file }) => file.inForce === row.spare_id).length < keyShardThreshold) return 'waits'
  return (await createReceived(context, { cid, setId, set, sealed: row.shard })) ? 'done' : 'waits'
}

/** Returns the spare set that three peers offer alike: at most two lie. */
function findAgreedOffer(files: readonly PeerFile[]): { setId: string; set: ShardSet } | undefined {
  for (const { file } of files) {
    const { offer } = file
    if (offer === undefined || !isWholeSet(offer.set)) continue
    const alike = files.filter(
      ({ file: { offer: other } }) => other?.setId === offer.setId && other.set.id === offer.set.id,
    )
    if (alike.length >= keyShardThreshold) return { setId: offer.setId, set: offer.set }
  }
  return undefined
}
