import { CairnError, maxSpareFiles, shardSetSchema } from '@cairn/protocol'
import type { Selectable } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { signStatement } from '../sessions/tokens.ts'
import { openParts } from '../shards/shards.ts'
import { findConsent } from './consent.ts'
import { listSpares } from './list.ts'
import type { SpareFile, SpareMessage } from './message.ts'
import { sealMessage } from './sealed-message.ts'

type SpareRow = Selectable<Schema['spare']>

/** Request of a peer. */
export type SpareQuestion = { cids?: readonly string[] | undefined; after?: string | undefined }

/**
 * Answers a peer's question about spare shards: encrypted for the peer, signed by this node. Parts leave the node only while its
 * operator replaces shards.
 * @throws CairnError INVALID_SIGNATURE for a number that does not belong to a peer
 */
export async function answerPeer(context: Context, peer: number, question: SpareQuestion): Promise<string> {
  const receiver = context.config.peers.find(({ node }) => node === peer)
  if (receiver === undefined) throw new CairnError('INVALID_SIGNATURE')
  const { db } = context
  const until = await findConsent(db.read)
  const { cids = [], after } = question
  const message: SpareMessage = { to: peer, files: await describeFiles(context, peer, cids, until) }
  if (after !== undefined) {
    const rows = until === undefined ? [] : await listSpares(db.read, { until, after, limit: maxSpareFiles + 1 })
    message.listed = {
      cids: rows.slice(0, maxSpareFiles).map(({ cid }) => cid),
      hasMore: rows.length > maxSpareFiles,
    }
  }
  return signStatement(context, { sealed: await sealMessage(receiver.publicKey, JSON.stringify(message)) })
}

async function describeFiles(
  context: Context,
  peer: number,
  cids: readonly string[],
  until: number | undefined,
): Promise<SpareFile[]> {
  if (cids.length === 0) return []
  const { read } = context.db
  const records = await read
    .selectFrom('key')
    .select(['cid', 'set_id'])
    .where('cid', 'in', [...cids])
    .where('restored_at', 'is', null)
    .execute()
  const inForce = new Map(records.map(({ cid, set_id }) => [cid, set_id]))
  const offered =
    until === undefined ? [] : [...(await listSpares(read, { until, cids })), ...(await findReceived(context, cids))]
  const rows = new Map<string, SpareRow>(offered.map((row) => [row.cid, row]))
  return cids.map((cid) => {
    const row = rows.get(cid)
    const setId = inForce.get(cid)
    return {
      cid,
      ...(setId === undefined ? {} : { inForce: setId }),
      ...(row === undefined ? {} : { offer: offerOf(context, peer, row) }),
    }
  })
}

/** Finds shards that this node received for files without a record. */
async function findReceived({ db }: Context, cids: readonly string[]): Promise<SpareRow[]> {
  return db.read
    .selectFrom('spare')
    .leftJoin('key', 'key.cid', 'spare.cid')
    .selectAll('spare')
    .where('spare.cid', 'in', [...cids])
    .where('spare.shard', 'is not', null)
    .where('key.cid', 'is', null)
    .execute()
}

function offerOf(context: Context, peer: number, row: SpareRow): SpareFile['offer'] {
  const part = row.parts === null ? undefined : partFor(context, peer, row, row.parts)
  return {
    setId: row.set_id,
    set: v.parse(shardSetSchema, JSON.parse(row.spare_set)),
    ...(part === undefined ? {} : { part }),
    isHeld: row.shard !== null,
  }
}

/** Damaged parts of one file must not block the others: three other nodes have theirs. */
function partFor(context: Context, peer: number, { cid, spare_id }: SpareRow, sealed: Uint8Array) {
  try {
    return openParts(context, cid, spare_id, sealed)[peer - 1]
  } catch (error) {
    context.failures.failed('spares', error, 'failed to open spare parts', { cid })
    return undefined
  }
}
