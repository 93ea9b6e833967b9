import { CairnError } from '@cairn/protocol'
import { applyAction, recordAction } from '@cairn/service/admin'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { deleteAllFiles } from '../files/files.ts'
import { recountAccount } from '../ledger/ledger.ts'
import { releasePacks } from '../packs/packs.ts'
import type { AdminContext } from './admin-context.ts'

/** An account, as shown to the operator. */
export type AccountState = {
  address: string
  createdAt: number
  limitBytes: number
  usedBytes: number
  reservedBytes: number
  freeBytes: number | null
  files: number
  blockedAt: number | null
  blockReason: string | null
}

const rowsOfPage = 500

/** Lists every account, ordered by address. */
export async function* listAccounts({ db }: Pick<AdminContext, 'db'>): AsyncGenerator<AccountState> {
  for (let after = ''; ; ) {
    const rows = await db.read
      .selectFrom('account')
      .selectAll()
      .where('address', '>', after)
      .orderBy('address')
      .limit(rowsOfPage)
      .execute()
    yield* rows.map(describe)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.address
  }
}

/** Returns one account. @throws CairnError NOT_FOUND */
export async function readAccount(db: Kysely<Schema>, address: string): Promise<AccountState> {
  const row = await db.selectFrom('account').selectAll().where('address', '=', address).executeTakeFirst()
  if (row === undefined) throw noAccount(address)
  return describe(row)
}

/** Returns the storage, ledger, keys and names of an account. @throws CairnError NOT_FOUND */
export async function showUsage({ db: { read } }: Pick<AdminContext, 'db'>, address: string) {
  const account = await readAccount(read, address)
  const ledger = await read
    .selectFrom('ledger_entry')
    .select(['kind', 'bytes', 'note', 'created_at'])
    .where('address', '=', address)
    .orderBy('id', 'desc')
    .limit(rowsOfPage)
    .execute()
  const count = async (query: { executeTakeFirstOrThrow(): Promise<{ rows: number | string | bigint }> }) =>
    Number((await query.executeTakeFirstOrThrow()).rows)
  return {
    ...account,
    apiKeys: await count(
      read
        .selectFrom('api_key')
        .select(({ fn }) => fn.countAll().as('rows'))
        .where('address', '=', address)
        .where('revoked_at', 'is', null),
    ),
    names: await count(
      read
        .selectFrom('name_entry')
        .select(({ fn }) => fn.countAll().as('rows'))
        .where('address', '=', address),
    ),
    payments: await count(
      read
        .selectFrom('payment')
        .select(({ fn }) => fn.countAll().as('rows'))
        .where('address', '=', address),
    ),
    unfinishedUploads: await count(
      read
        .selectFrom('resumable_upload')
        .select(({ fn }) => fn.countAll().as('rows'))
        .where('address', '=', address)
        .where('state', '=', 'receiving'),
    ),
    ledger: ledger.map(({ kind, bytes, note, created_at: at }) => ({ at, kind, bytes, note })),
  }
}

/**
 * Blocks an account: sign-ins and calls with its API keys are rejected, starting with the next one. Its files stay. Blocking
 * again changes the reason.
 * @throws CairnError NOT_FOUND
 */
export function blockAccount(context: AdminContext, address: string, reason: string) {
  return applyAction(context, async (trx) => {
    const { blockedAt, blockReason } = await readAccount(trx, address)
    const after = { blockedAt: blockedAt ?? context.clock.now(), blockReason: reason }
    await setBlock(trx, address, after)
    return { action: 'accounts block', subject: address, reason, before: { blockedAt, blockReason }, after }
  })
}

/** Unblocks an account; returns undefined if it was not blocked. @throws CairnError NOT_FOUND */
export function unblockAccount(context: AdminContext, address: string, reason: string | undefined) {
  return applyAction(context, async (trx) => {
    const { blockedAt, blockReason } = await readAccount(trx, address)
    if (blockedAt === null) return undefined
    const after = { blockedAt: null, blockReason: null }
    await setBlock(trx, address, after)
    return { action: 'accounts unblock', subject: address, reason, before: { blockedAt, blockReason }, after }
  })
}

/**
 * Deletes all files, unfinished uploads and queued pins of an account, 500 files per unit of work; the next run continues an
 * interrupted one. Bytes that no other upload needs are removed after the grace period. Names, API keys and the ledger stay.
 * @throws CairnError NOT_FOUND
 */
export async function deleteContent(context: AdminContext, address: string, reason: string) {
  const { db, clock, isDryRun } = context
  const describeEntry = ({ files, usedBytes }: AccountState) => ({
    action: 'accounts delete',
    subject: address,
    reason,
    before: { files, usedBytes },
  })
  if (isDryRun) return describeEntry(await readAccount(db.read, address))
  // The database rejects totals below zero, so a wrong one would keep files from being deleted.
  const entry = await db.write(async (trx) => {
    await recountAccount(trx, address)
    const found = describeEntry(await readAccount(trx, address))
    // Logged first, because an interrupted run has deleted files too.
    await recordAction(trx, found, clock.now())
    return found
  })
  const release = (trx: Kysely<Schema>, ids: readonly string[]) => releasePacks(trx, db.kind, ids, clock.now())
  const packs = { release }
  // Pins first: one that is being fetched then stores nothing.
  await db.write(async (trx) => {
    await trx.deleteFrom('pin').where('address', '=', address).where('upload_id', 'is', null).execute()
    for (const table of ['resumable_upload', 's3_multipart'] as const)
      await trx.updateTable(table).set({ expires_at: clock.now() }).where('address', '=', address).execute()
  })
  await deleteAllFiles({ db, clock, packs }, address)
  return entry
}

async function setBlock(
  trx: Kysely<Schema>,
  address: string,
  block: { blockedAt: number | null; blockReason: string | null },
): Promise<void> {
  await trx
    .updateTable('account')
    .set({ blocked_at: block.blockedAt, block_reason: block.blockReason })
    .where('address', '=', address)
    .execute()
}

function noAccount(address: string): CairnError {
  return new CairnError('NOT_FOUND', {
    message: `There is no account ${address}`,
    hint: 'Run accounts list to see every account.',
  })
}

function describe(row: {
  address: string
  created_at: number
  data_limit_bytes: number
  data_used_bytes: number
  reserved_bytes: number
  free_bytes: number | null
  upload_count: number
  blocked_at: number | null
  block_reason: string | null
}): AccountState {
  return {
    address: row.address,
    createdAt: row.created_at,
    limitBytes: row.data_limit_bytes,
    usedBytes: row.data_used_bytes,
    reservedBytes: row.reserved_bytes,
    freeBytes: row.free_bytes,
    files: row.upload_count,
    blockedAt: row.blocked_at,
    blockReason: row.block_reason,
  }
}
