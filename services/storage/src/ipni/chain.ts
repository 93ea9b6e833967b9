import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { readStoreName } from '../db/read-store-name.ts'
import type { Schema } from '../db/schema.ts'
import { type ChainBlock, encodeAdvertisement } from './advertisement.ts'
import { openPublisher, type Publisher } from './identity.ts'

type ChainContext = Pick<Context, 'db' | 'secret' | 'clock'>

/** The chain with its identity. `head` is undefined while it is empty. */
export type Chain = { publisher: Publisher; generation: number; head: CID | undefined; length: number }

/** The change to publish for a root: its chunks, or its removal. */
export type Change = { root: Uint8Array; chunks: readonly ChainBlock[] | undefined; addresses: readonly string[] }

/** Returns the chain; undefined when there is none that was signed with this secret. Changes nothing. */
export async function findChain({ db, secret }: Pick<ChainContext, 'db' | 'secret'>): Promise<Chain | undefined> {
  const row = await db.read.selectFrom('ipni_chain').selectAll().executeTakeFirst()
  if (row === undefined) return undefined
  const publisher = await openPublisher(secret, await readStoreName(db.read), row.generation)
  if (publisher.peerId !== row.peer_id) return undefined
  const head = row.head === null ? undefined : CID.parse(row.head)
  return { publisher, generation: row.generation, head, length: row.length }
}

/**
 * Opens the chain, and creates it the first time. A chain that was signed with another secret is replaced: only the replica that
 * publishes may do so, because replicas have different secrets while one is replaced.
 */
export async function openChain(context: ChainContext): Promise<Chain> {
  const found = await findChain(context)
  if (found !== undefined) return found
  const row = await context.db.read.selectFrom('ipni_chain').select('generation').executeTakeFirst()
  if (row !== undefined) await restartChain(context, row.generation)
  else {
    const { peerId } = await openPublisher(context.secret, await readStoreName(context.db.read), 1)
    await context.db.write((trx) =>
      trx
        .insertInto('ipni_chain')
        .values({ one: 1, generation: 1, peer_id: peerId, head: null, length: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    )
  }
  return openChain(context)
}

/** Replaces a chain by an empty one with an identity of its own, once. All content is published again. */
export async function restartChain({ db, secret, clock }: ChainContext, generation: number): Promise<void> {
  const name = await readStoreName(db.read)
  const { peerId } = await openPublisher(secret, name, generation + 1)
  await db.write(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('ipni_chain')
      .set({ generation: generation + 1, peer_id: peerId, head: null, length: 0 })
      .where('generation', '=', generation)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) await dropAdvertisements(trx, clock.now())
  })
}

/**
 * Has the next start replace the chain: the restored rows end before advertisements that indexers may have read, and a second
 * advertisement after the same one would fork it.
 */
export async function restartRestoredChain(trx: Kysely<Schema>): Promise<void> {
  // No identity has this id, so the chain counts as one of another secret.
  await trx.updateTable('ipni_chain').set({ peer_id: '' }).execute()
}

async function dropAdvertisements(trx: Kysely<Schema>, now: number): Promise<void> {
  await trx.deleteFrom('ipni_ad').execute()
  await trx.deleteFrom('ipni_chunk').execute()
  await trx.updateTable('announcement').set({ is_listed: 0, due_at: now }).execute()
}

/**
 * Appends an advertisement in the caller's unit of work.
 * @returns the new head; undefined when another replica changed the chain meanwhile: nothing was changed then
 */
export async function append(
  trx: Kysely<Schema>,
  { publisher, generation, head, length }: Chain,
  { root, chunks, addresses }: Change,
  now: number,
): Promise<CID | undefined> {
  const ad = encodeAdvertisement(publisher, {
    previous: head,
    addresses,
    contextId: contextIdOf(root),
    entries: chunks?.at(-1)?.cid,
  })
  const { numUpdatedRows } = await trx
    .updateTable('ipni_chain')
    .set({ head: ad.cid.toString(), length: length + 1 })
    .where('generation', '=', generation)
    .where('length', '=', length)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return undefined
  await trx
    .insertInto('ipni_ad')
    .values({ cid: ad.cid.toString(), sequence: length + 1, data: ad.bytes, created_at: now })
    .execute()
  // Indexers skip the entries of removed content.
  await trx.deleteFrom('ipni_chunk').where('root_multihash', '=', root).execute()
  for (const [position, { cid, bytes }] of (chunks ?? []).entries()) {
    await trx
      .insertInto('ipni_chunk')
      .values({ root_multihash: root, position, cid: cid.toString(), data: bytes })
      .execute()
  }
  return ad.cid
}

/** Returns a block of the chain. */
export async function findChainBlock({ db }: Pick<Context, 'db'>, cid: CID): Promise<Uint8Array | undefined> {
  const text = cid.toString()
  const ad = await db.read.selectFrom('ipni_ad').select('data').where('cid', '=', text).executeTakeFirst()
  if (ad !== undefined) return ad.data
  return (await db.read.selectFrom('ipni_chunk').select('data').where('cid', '=', text).executeTakeFirst())?.data
}

/** Context ids have at most 64 bytes, and multihashes of roots may have more. */
function contextIdOf(root: Uint8Array): Uint8Array {
  return Uint8Array.from(hash('sha256', root, 'buffer'))
}
