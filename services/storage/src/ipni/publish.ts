import { sql } from 'kysely'
import { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { encodeChunks } from './advertisement.ts'
import { withdrawalDueAt } from './announce-uploads.ts'
import { append, type Chain, type Change, openChain } from './chain.ts'
import { listHashes } from './list-hashes.ts'

/** Advertisements per round of the worker, which bounds what indexers have to fetch at once. */
export const adsPerRound = 100
/** Delay before content that could not be read is tried again. */
const retryMs = 10 * 60_000
/** Rows per query when the rules of the operator changed. */
const rowsAtOnce = 1000

type Due = { root_multihash: Uint8Array; cid: string; is_listed: 0 | 1; due_at: number | null }

/**
 * Publishes what changed: content that is to be found, and removals of what is deleted or denied. Stops when another replica
 * changes the chain.
 * @returns the number of new advertisements
 */
export async function publishDue(context: Context, addresses: readonly string[], signal: AbortSignal): Promise<number> {
  const { db, clock, failures } = context
  const due = await db.read
    .selectFrom('announcement')
    .selectAll()
    .where('due_at', '<=', clock.now())
    .orderBy('due_at')
    .limit(adsPerRound)
    .execute()
  if (due.length === 0) return 0
  let chain = await openChain(context)
  let published = 0
  for (const row of due) {
    if (signal.aborted) return published
    try {
      const next = await publishRow(context, chain, row, addresses, signal)
      if (next === undefined) return published
      if (next !== chain) published++
      chain = next
    } catch (error) {
      if (signal.aborted) return published
      failures.failed('ipni', error, 'failed to announce content', { cid: row.cid })
      await postpone(context, row)
    }
  }
  return published
}

/** Returns the chain afterwards; undefined when another replica changed it. */
async function publishRow(
  context: Context,
  chain: Chain,
  row: Due,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Chain | undefined> {
  const { db, denylist, clock } = context
  const root = row.root_multihash
  const cid = CID.parse(row.cid)
  const isWanted = !denylist.denies(cid) && (await isAnnounced(db.read, root))
  const hashes = isWanted && row.is_listed === 0 ? await listHashes(context, cid, signal) : []
  const change: Change = { root, addresses, chunks: hashes.length > 0 ? encodeChunks(hashes) : undefined }
  return db
    .write(async (trx) => {
      // Fails to match when the content changed meanwhile, and stays due.
      const { numUpdatedRows } = await trx
        .updateTable('announcement')
        .set({ due_at: null })
        .where('root_multihash', '=', root)
        .where('due_at', '=', row.due_at)
        .where('is_listed', '=', row.is_listed)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) return chain
      const isListed = isWanted && (row.is_listed === 1 || change.chunks !== undefined)
      if (isListed === (row.is_listed === 1)) {
        if (!isListed && !(await isAnnounced(trx, root))) await dropAnnouncement(trx, root)
        return chain
      }
      const head = await append(trx, chain, change, clock.now())
      if (head === undefined) throw new ChainChanged()
      await trx
        .updateTable('announcement')
        .set({ is_listed: isListed ? 1 : 0 })
        .where('root_multihash', '=', root)
        .execute()
      if (!isListed && !(await isAnnounced(trx, root))) await dropAnnouncement(trx, root)
      return { ...chain, head, length: chain.length + 1 }
    })
    .catch((error: unknown) => {
      if (error instanceof ChainChanged) return undefined
      throw error
    })
}

/** Undoes the unit of work of a replica that was too late. */
class ChainChanged extends Error {}

type Reader = Context['db']['read']

/** Returns whether an upload of a root is announced. */
export async function isAnnounced(db: Reader, root: Uint8Array): Promise<boolean> {
  const row = await db
    .selectFrom('announced_upload')
    .innerJoin('upload', 'upload.id', 'announced_upload.upload_id')
    .select('upload_id')
    .where('announced_upload.root_multihash', '=', root)
    .where('upload.status', '!=', 'deleting')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function dropAnnouncement(trx: Reader, root: Uint8Array): Promise<void> {
  await trx.deleteFrom('announcement').where('root_multihash', '=', root).execute()
}

async function postpone({ db, clock }: Context, { root_multihash: root, due_at: dueAt }: Due): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('announcement')
      .set({ due_at: clock.now() + retryMs })
      .where('root_multihash', '=', root)
      .where('due_at', '=', dueAt)
      .execute(),
  )
}

/** Tables of roots that others should find, and the column that states whether they can. */
const flags = { announcement: 'is_listed', handed_root: 'is_handed' } as const

/** Has all content checked whose state no longer agrees with the rules of the operator. */
export async function checkDenials(
  { db, denylist, clock }: Context,
  table: keyof typeof flags,
  signal: AbortSignal,
): Promise<void> {
  let after: Uint8Array = new Uint8Array()
  while (!signal.aborted) {
    const rows = await db.read
      .selectFrom(table)
      .select(['root_multihash', 'cid', sql<0 | 1>`${sql.ref(flags[table])}`.as('is_out')])
      .where('root_multihash', '>', after)
      .orderBy('root_multihash')
      .limit(rowsAtOnce)
      .execute()
    const changed = rows.filter((row) => denylist.denies(CID.parse(row.cid)) === (row.is_out === 1))
    for (const { root_multihash: root, is_out: isOut } of changed) {
      const due_at = isOut === 1 ? withdrawalDueAt(clock.now()) : clock.now()
      await db.write((trx) => trx.updateTable(table).set({ due_at }).where('root_multihash', '=', root).execute())
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    after = last.root_multihash
  }
}
