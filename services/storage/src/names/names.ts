import { createNameKey, exportNameKey, type NameRecord, parseName } from '@cairn/names'
import {
  CairnError,
  type CallResult,
  type listNameRecords,
  type NameState,
  nameRowsMost,
  namesPerAccountMost,
  type SignedName,
} from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { recordOf } from './accept-record.ts'
import { parseNameValue, readTarget } from './name-value.ts'
import type { NamesContext } from './names-context.ts'
import { openNameKey, otherSecret, type Publication, publishRecord } from './publish-record.ts'
import { sealSeed, secretIdOf } from './seal-key.ts'
import {
  deleteEntry,
  type EntryRow,
  ensureName,
  findEntries,
  findEntry,
  findHistory,
  findName,
  findNames,
  insertEntry,
  type NameRow,
} from './store.ts'

export { acceptRecord, registerRecord } from './accept-record.ts'
export { findRecord } from './find-record.ts'
export type { NamesContext } from './names-context.ts'
export { createNameResolver, type NameResolver, type RequestedName } from './resolve-name.ts'

/** Rows of one page where nothing is said. */
const rowsOfPage = 100

/**
 * Makes a key and its name for an account. The key is kept sealed, for this account and this name alone.
 * @throws CairnError NAME_LIMIT, INVALID_CONFIGURATION (other keys were sealed with another secret)
 */
export async function createName(context: NamesContext, address: string, label?: string): Promise<NameState> {
  const { db, clock, secret } = context
  const key = await createNameKey()
  const now = clock.now()
  const secretId = secretIdOf(secret)
  const seal = sealSeed(secret, { address, name: key.name }, key.seed)
  const entry = await db.write(async (trx) => {
    // Two replicas with secrets of their own would each make keys that the other cannot open.
    await requireOneSecret(trx, secretId)
    await ensureName(trx, key.name, { origin: 'account', now })
    await insertEntry(trx, { address, name: key.name, label: label ?? null, seal, secretId }, now)
    return findEntry(trx, address, { name: key.name })
  })
  if (entry === undefined) throw new CairnError('CONFLICT')
  return describe(entry, undefined)
}

/** Refuses to start with a secret that opens none of the keys there are. @throws CairnError INVALID_CONFIGURATION */
export function requireSameSecret({ db, secret }: Pick<NamesContext, 'db' | 'secret'>): Promise<void> {
  return requireOneSecret(db.read, secretIdOf(secret))
}

async function requireOneSecret(db: Kysely<Schema>, secretId: string): Promise<void> {
  const other = await db
    .selectFrom('name_entry')
    .select('id')
    .where(({ eb, or }) => or([eb('secret_id', '<', secretId), eb('secret_id', '>', secretId)]))
    .limit(1)
    .executeTakeFirst()
  if (other !== undefined) throw otherSecret()
}

/** A page of an account's names, newest first. */
export async function listNames(
  { db }: Pick<NamesContext, 'db'>,
  address: string,
  { after, limit = rowsOfPage }: { after?: string | undefined; limit?: number | undefined },
): Promise<NameState[]> {
  const entries = await findEntries(db.read, address, { after, limit: Math.min(limit, nameRowsMost) })
  return describeAll(db, entries)
}

/** All names of an account whose key the service holds. */
export async function listHeldNames({ db }: Pick<NamesContext, 'db'>, address: string): Promise<NameState[]> {
  const entries = await findEntries(db.read, address, { limit: namesPerAccountMost })
  return describeAll(
    db,
    entries.filter(({ seal }) => seal !== null),
  )
}

async function describeAll(db: NamesContext['db'], entries: readonly EntryRow[]): Promise<NameState[]> {
  const rows = await findNames(
    db.read,
    entries.map(({ name }) => name),
  )
  return entries.map((entry) => describe(entry, rows.get(entry.name)))
}

/** One name of an account, by its id or by the name in any form. @throws CairnError INVALID_NAME, NAME_NOT_FOUND */
export async function getName({ db }: Pick<NamesContext, 'db'>, address: string, idOrName: string): Promise<NameState> {
  const entry = await requireEntry(db, address, idOrName)
  return describe(entry, await findName(db.read, entry.name))
}

/** Gives a name of an account another label, or none. @throws CairnError INVALID_NAME, NAME_NOT_FOUND */
export async function labelName(
  context: NamesContext,
  address: string,
  idOrName: string,
  label: string | null,
): Promise<NameState> {
  const { id } = await requireEntry(context.db, address, idOrName)
  await context.db.write((trx) =>
    trx.updateTable('name_entry').set({ label, updated_at: context.clock.now() }).where('id', '=', id).execute(),
  )
  return getName(context, address, id)
}

/**
 * Takes a name off the account; a key that the service holds is destroyed.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND
 */
export async function removeName(
  { db, clock }: NamesContext,
  address: string,
  idOrName: string,
): Promise<{ id: string; name: string }> {
  const entry = await requireEntry(db, address, idOrName)
  const isDone = await db.write((trx) => deleteEntry(trx, entry, clock.now()))
  if (!isDone) throw new CairnError('NAME_NOT_FOUND')
  return { id: entry.id, name: entry.name }
}

/**
 * Publishes what a name points to.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND, INVALID_CID, INVALID_NAME_VALUE; as publishRecord
 */
export async function publishName(
  context: NamesContext,
  address: string,
  idOrName: string,
  publication: Publication,
): Promise<SignedName> {
  const value = parseNameValue(publication.value)
  const entry = await requireEntry(context.db, address, idOrName)
  return describeSigned(await publishRecord(context, entry, { ...publication, value }))
}

/** The key of a name, for its owner to take away. @throws CairnError INVALID_NAME, NAME_NOT_FOUND; as openNameKey */
export async function exportName(
  context: NamesContext,
  address: string,
  idOrName: string,
  format: 'libp2p' | 'pem',
): Promise<{ name: string; key: string }> {
  const key = await openNameKey(context, await requireEntry(context.db, address, idOrName))
  return { name: key.name, key: exportNameKey(key, format) }
}

/** A page of what a name of the account pointed to. @throws CairnError INVALID_NAME, NAME_NOT_FOUND */
export async function listHistory(
  { db }: Pick<NamesContext, 'db'>,
  address: string,
  idOrName: string,
  { before, limit = rowsOfPage }: { before?: string | undefined; limit?: number | undefined },
): Promise<CallResult<typeof listNameRecords>> {
  const { name } = await requireEntry(db, address, idOrName)
  const rows = await findHistory(db.read, name, {
    before: before === undefined ? undefined : BigInt(before),
    limit: Math.min(limit, nameRowsMost),
  })
  return {
    records: rows.map((row) => ({
      sequence: BigInt(row.sequence).toString(),
      value: row.value,
      publishedAt: row.published_at,
      validUntil: row.valid_until,
      record: Buffer.from(row.record).toString('base64'),
    })),
  }
}

/** What a name points to, as the calls answer it. */
export function describeSigned({ name, value, sequence, validUntil, ttlMs, bytes }: NameRecord): SignedName {
  const record = Buffer.from(bytes).toString('base64')
  return { name, value, sequence: sequence.toString(), validUntil, ttlMs, record }
}

async function requireEntry(db: NamesContext['db'], address: string, idOrName: string): Promise<EntryRow> {
  const key = /^[0-9a-f]{32}$/.test(idOrName) ? { id: idOrName } : { name: parseName(idOrName) }
  const entry = await findEntry(db.read, address, key)
  if (entry === undefined) throw new CairnError('NAME_NOT_FOUND')
  return entry
}

function describe(entry: EntryRow, row: NameRow | undefined): NameState {
  const record = row === undefined ? undefined : recordOf(row)
  const target = record === undefined ? undefined : readTarget(record.value)
  return {
    id: entry.id,
    label: entry.label,
    name: entry.name,
    value: record?.value ?? null,
    cid: target?.kind === 'ipfs' ? target.cidText : null,
    sequence: record?.sequence.toString() ?? null,
    validUntil: record?.validUntil ?? null,
    ttlMs: record?.ttlMs ?? null,
    keyHeld: entry.seal === null ? 'owner' : 'service',
    createdAt: entry.created_at,
    updatedAt: Math.max(entry.updated_at, record === undefined ? 0 : (row?.updated_at ?? 0)),
  }
}
