import { isNewer, type NameRecord, readRecord } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import type { NamesContext } from './names-context.ts'
import {
  ensureName,
  findEntry,
  insertEntry,
  isListed,
  lockName,
  type NameRow,
  requireCapacityForForeign,
  touchName,
  writeHistory,
  writeRecord,
} from './store.ts'

/** Returns a row's record, or undefined when none is known any more. */
export function recordOf(row: NameRow): NameRecord | undefined {
  const { name, value, sequence, record, valid_until: validUntil, ttl_ms: ttlMs } = row
  if (value === null || sequence === null || record === null || validUntil === null) return undefined
  return { name, value, sequence: BigInt(sequence), validUntil, ttlMs: ttlMs ?? 0, bytes: record }
}

/**
 * Accepts a record from any source: verified, and newer than every record seen for its name. The same record again is
 * not an error. A record of a name without an account is kept for two days after it was last sent, while there is capacity.
 * @throws CairnError INVALID_NAME, INVALID_IPNS_RECORD, IPNS_RECORD_EXPIRED, IPNS_RECORD_OUTDATED, STORAGE_FULL
 */
export async function acceptRecord(
  context: NamesContext,
  name: string,
  bytes: Uint8Array,
  capacityForForeign?: number,
): Promise<void> {
  const now = context.clock.now()
  const record = await readRecord(name, bytes, now)
  await context.db.write(async (trx) => {
    const known = await lockName(trx, record.name)
    const hasCapacity = known !== undefined && (known.origin === 'account' || known.record !== null)
    if (!hasCapacity) await requireCapacityForForeign(trx, capacityForForeign)
    const row = known ?? (await ensureName(trx, record.name, { origin: 'foreign', now }))
    // A name removed from all lists must not return with an earlier record.
    const listed = await isListed(trx, record.name)
    const isNew = await acceptNewer(trx, record, row, { now, isListed: listed, isSequenceEnough: false })
    // A name without an account is kept for as long as its record is sent again.
    if (!isNew && row.origin !== 'account') await touchName(trx, record.name, now)
  })
}

/**
 * Accepts a record that the owner of a name signed elsewhere, and adds the name to the account's list. A list entry
 * grants no rights to the name: many accounts may list the same one, and only the signature determines its value.
 * @throws CairnError as acceptRecord except STORAGE_FULL; NAME_LIMIT
 */
export async function registerRecord(
  context: NamesContext,
  address: string,
  params: { name: string; bytes: Uint8Array; label: string | undefined },
): Promise<void> {
  const now = context.clock.now()
  const record = await readRecord(params.name, params.bytes, now)
  await context.db.write(async (trx) => {
    const row = await ensureName(trx, record.name, { origin: 'account', now })
    const isNew = await acceptNewer(trx, record, row, { now, isListed: true, isSequenceEnough: true })
    const entry = await findEntry(trx, address, { name: record.name })
    if (entry === undefined) {
      const label = params.label ?? null
      await insertEntry(trx, { address, name: record.name, label, seal: null, secretId: null }, now)
    } else {
      await trx
        .updateTable('name_entry')
        .set({ updated_at: now, ...(params.label === undefined ? {} : { label: params.label }) })
        .where('id', '=', entry.id)
        .execute()
    }
    if (row.origin !== 'account') await adopt(trx, record, now)
    if (isNew) await recordEvents(trx, address, now, describePublished(record))
  })
}

/** Adopts a name that was on no list: it is now kept, with a history from here on. */
async function adopt(trx: Kysely<Schema>, { name }: NameRecord, now: number): Promise<void> {
  await trx.updateTable('ipns_name').set({ origin: 'account' }).where('name', '=', name).execute()
  const row = await lockName(trx, name)
  const record = row === undefined ? undefined : recordOf(row)
  if (row?.sequence == null || record === undefined) return
  await writeHistory(trx, {
    name,
    sequence: row.sequence,
    value: record.value,
    record: record.bytes,
    valid_until: record.validUntil,
    published_at: now,
  })
}

type Taking = {
  now: number
  isListed: boolean
  /** Whether, without a stored record, one with the last seen sequence is accepted. */
  isSequenceEnough: boolean
}

/** @returns false for the stored record @throws CairnError IPNS_RECORD_OUTDATED */
async function acceptNewer(
  trx: Kysely<Schema>,
  record: NameRecord,
  row: NameRow,
  { now, isListed: listed, isSequenceEnough }: Taking,
): Promise<boolean> {
  const known = recordOf(row)
  const seen = row.sequence === null ? undefined : BigInt(row.sequence)
  const isTaken =
    known !== undefined
      ? isNewer(record, known)
      : seen === undefined || record.sequence > seen || (isSequenceEnough && record.sequence === seen)
  // Otherwise an owner who signs on two machines concurrently would silently overwrite one publication with the
  // other.
  const isOther = isSequenceEnough && known?.sequence === record.sequence && known.value !== record.value
  if (isTaken && !isOther) {
    await writeRecord(trx, record, { now, isListed: listed })
    return true
  }
  if (known !== undefined && Buffer.from(known.bytes).equals(record.bytes)) return false
  throw outdated(seen)
}

/** The event of a publication, for the account that made it. */
export function describePublished({ name, value, sequence }: NameRecord): NewEvent {
  return { type: 'name.published', data: { name, value, sequence: sequence.toString() } }
}

/** The error for a record older than the newest known one. */
export function outdated(seen: bigint | undefined): CairnError {
  return new CairnError('IPNS_RECORD_OUTDATED', { details: seen === undefined ? {} : { sequence: seen.toString() } })
}
