import { createNameKey, exportNameKey, type NameRecord, parseName } from '@cairn/names'
import {
  CairnError,
  type CallResult,
  type listNameRecords,
  maxNameRows,
  maxNamesPerAccount,
  type NameState,
  type SignedName,
} from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { lockAccount } from '../ledger/ledger.ts'
import { secretIdOf } from '../secrets/seal.ts'
import { recordOf } from './accept-record.ts'
import { parseNameValue, readTarget } from './name-value.ts'
import type { NamesContext } from './names-context.ts'
import { openNameKey, otherSecret, type Publication, publishRecord, type Secrets } from './publish-record.ts'
import { sealSeed } from './seal-key.ts'
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
export { isLookupUnavailable, type NameClient } from './dnslink.ts'
export { findRecord } from './find-record.ts'
export type { NamesContext } from './names-context.ts'
export { createNameResolver, type NameResolver, type RequestedName } from './resolve-name.ts'
export { addressesOf, describeGatewayOnce, listPeerAddresses, peerIdOf } from './routing.ts'
export { openSeed, sealSeed } from './seal-key.ts'
export { chooseSequence } from './sequence.ts'

/** Default number of rows per page. */
const rowsOfPage = 100

/**
 * A step of the unit of work that sets the label of a name: a check, or a record of the name. No other unit changes the names of
 * the account meanwhile. May throw.
 */
export type LabelStep = (trx: Kysely<Schema>, name: string) => Promise<void>

/** Options of a new name. */
export type NewNameOptions = {
  label?: string | undefined
  step?: LabelStep
  /** Locks rows at the start of the unit of work that other units lock before the account. May throw. */
  lock?(trx: Kysely<Schema>): Promise<void>
}

/**
 * Creates a key and its name for an account. The key is sealed for this account and this name.
 * @throws CairnError NAME_LIMIT, INVALID_CONFIGURATION (other keys were sealed with another secret); what `lock` and `step` throw
 */
export async function createName(
  context: NamesContext,
  address: string,
  { label, step, lock }: NewNameOptions = {},
): Promise<NameState> {
  const { db, clock, secret, secondarySecret } = context
  const key = await createNameKey()
  const now = clock.now()
  const secretId = secretIdOf(secret)
  const seal = sealSeed(secret, { address, name: key.name }, key.seed)
  const entry = await db.write(async (trx) => {
    // Two replicas with different secrets would create keys that the other cannot open.
    await requireKnownSecrets(trx, { secret, secondarySecret })
    await lock?.(trx)
    await ensureName(trx, key.name, { origin: 'account', now })
    if (step !== undefined) await lockAccount(trx, address)
    await step?.(trx, key.name)
    await insertEntry(trx, { address, name: key.name, label: label ?? null, seal, secretId }, now)
    return findEntry(trx, address, { name: key.name })
  })
  if (entry === undefined) throw new CairnError('CONFLICT')
  return describe(entry, undefined)
}

/** Refuses to start with a secret that opens none of the existing keys. @throws CairnError INVALID_CONFIGURATION */
export function requireSameSecret({ db, ...secrets }: Pick<NamesContext, 'db'> & Secrets): Promise<void> {
  return requireKnownSecrets(db.read, secrets)
}

async function requireKnownSecrets(db: Kysely<Schema>, { secret, secondarySecret = secret }: Secrets): Promise<void> {
  const [low = '', high = ''] = [secretIdOf(secret), secretIdOf(secondarySecret)].sort()
  const other = await db
    .selectFrom('name_entry')
    .select('id')
    // Ranges, so that the databases look up three places of the index and walk no row.
    .where(({ eb, or, and }) =>
      or([
        eb('secret_id', '<', low),
        and([eb('secret_id', '>', low), eb('secret_id', '<', high)]),
        eb('secret_id', '>', high),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (other !== undefined) throw otherSecret()
}

/** Returns a page of an account's names, newest first. */
export async function listNames(
  { db }: Pick<NamesContext, 'db'>,
  address: string,
  { after, limit = rowsOfPage }: { after?: string | undefined; limit?: number | undefined },
): Promise<NameState[]> {
  const entries = await findEntries(db.read, address, { after, limit: Math.min(limit, maxNameRows) })
  return describeAll(db, entries)
}

/** Returns the labels of all names of an account whose key the service holds; the id of one without a label. */
export async function findHeldLabels(db: Kysely<Schema>, address: string): Promise<{ label: string; name: string }[]> {
  const entries = await findEntries(db, address, { limit: maxNamesPerAccount })
  return entries.flatMap(({ seal, label, id, name }) => (seal === null ? [] : [{ label: label ?? id, name }]))
}

/** Returns all names of an account whose key the service holds. */
export async function listHeldNames({ db }: Pick<NamesContext, 'db'>, address: string): Promise<NameState[]> {
  const entries = await findEntries(db.read, address, { limit: maxNamesPerAccount })
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

/**
 * Returns one name of an account, by its id or by the name in any form. @throws CairnError INVALID_NAME,
 * NAME_NOT_FOUND
 */
export async function getName({ db }: Pick<NamesContext, 'db'>, address: string, idOrName: string): Promise<NameState> {
  const entry = await requireEntry(db, address, idOrName)
  return describe(entry, await findName(db.read, entry.name))
}

/** Sets or removes the label of a name. @throws CairnError INVALID_NAME, NAME_NOT_FOUND; what `step` throws */
export async function labelName(
  context: NamesContext,
  address: string,
  idOrName: string,
  label: string | null,
  step?: LabelStep,
): Promise<NameState> {
  const { id, name } = await requireEntry(context.db, address, idOrName)
  await context.db.write(async (trx) => {
    if (step !== undefined) await lockAccount(trx, address)
    await step?.(trx, name)
    await trx.updateTable('name_entry').set({ label, updated_at: context.clock.now() }).where('id', '=', id).execute()
  })
  return getName(context, address, id)
}

/**
 * Removes a name from the account; destroys its key if the service holds it.
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
 * Publishes the target of a name.
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

/** Exports the key of a name for its owner. @throws CairnError INVALID_NAME, NAME_NOT_FOUND; as openNameKey */
export async function exportName(
  context: NamesContext,
  address: string,
  idOrName: string,
  format: 'libp2p' | 'pem',
): Promise<{ name: string; key: string }> {
  const key = await openNameKey(context, await requireEntry(context.db, address, idOrName))
  return { name: key.name, key: exportNameKey(key, format) }
}

/** Returns a page of the history of a name. @throws CairnError INVALID_NAME, NAME_NOT_FOUND */
export async function listHistory(
  { db }: Pick<NamesContext, 'db'>,
  address: string,
  idOrName: string,
  { before, limit = rowsOfPage }: { before?: string | undefined; limit?: number | undefined },
): Promise<CallResult<typeof listNameRecords>> {
  const { name } = await requireEntry(db, address, idOrName)
  const rows = await findHistory(db.read, name, {
    before: before === undefined ? undefined : BigInt(before),
    limit: Math.min(limit, maxNameRows),
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

/** Describes the target of a name for the wire. */
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
