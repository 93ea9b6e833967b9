import { isNewer, type NameRecord, readRecord } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { NamesContext } from './names-context.ts'
import {
  ensureName,
  findEntry,
  insertEntry,
  isListed,
  lockName,
  type NameRow,
  requireRoomForForeign,
  writeHistory,
  writeRecord,
} from './store.ts'

/** A row's record, or undefined where none is known any more. */
export function recordOf(row: NameRow): NameRecord | undefined {
  const { name, value, sequence, record, valid_until: validUntil, ttl_ms: ttlMs } = row
  if (value === null || sequence === null || record === null || validUntil === null) return undefined
  return { name, value, sequence: BigInt(sequence), validUntil, ttlMs: ttlMs ?? 0, bytes: record }
}

/**
 * Takes a record that anybody offers: verified, and newer than all that were seen for its name. The same record again is no
 * error. One of a name that no account has is kept as far as there is room.
 * @throws CairnError INVALID_NAME, INVALID_IPNS_RECORD, IPNS_RECORD_EXPIRED, IPNS_RECORD_OUTDATED, STORAGE_FULL
 */
export async function acceptRecord(
  context: NamesContext,
  name: string,
  bytes: Uint8Array,
  roomForForeign?: number,
): Promise<void> {
  const now = context.clock.now()
  const record = await readRecord(name, bytes, now)
  await context.db.write(async (trx) => {
    const known = await lockName(trx, record.name)
    const hasRoom = known !== undefined && (known.origin === 'account' || known.record !== null)
    if (!hasRoom) await requireRoomForForeign(trx, roomForForeign)
    const row = known ?? (await ensureName(trx, record.name, { origin: 'foreign', now }))
    // A name that was taken off all lists shall not come back by a record that was there before.
    await takeNewer(trx, record, row, { now, isListed: await isListed(trx, record.name), isSequenceEnough: false })
  })
}

/**
 * Takes a record that the owner of a name signed elsewhere, and puts the name on the account's list. Being on a list gives no
 * right over the name: many accounts may have the same one, and the signature alone says what it points to.
 * @throws CairnError as acceptRecord but for STORAGE_FULL; NAME_LIMIT
 */
export async function registerRecord(
  context: NamesContext,
  address: string,
  wish: { name: string; bytes: Uint8Array; label: string | undefined },
): Promise<void> {
  const now = context.clock.now()
  const record = await readRecord(wish.name, wish.bytes, now)
  await context.db.write(async (trx) => {
    const row = await ensureName(trx, record.name, { origin: 'account', now })
    await takeNewer(trx, record, row, { now, isListed: true, isSequenceEnough: true })
    const entry = await findEntry(trx, address, { name: record.name })
    if (entry === undefined) {
      const label = wish.label ?? null
      await insertEntry(trx, { address, name: record.name, label, seal: null, secretId: null }, now)
    } else {
      await trx
        .updateTable('name_entry')
        .set({ updated_at: now, ...(wish.label === undefined ? {} : { label: wish.label }) })
        .where('id', '=', entry.id)
        .execute()
    }
    if (row.origin !== 'account') await adopt(trx, record, now)
  })
}

/** A name that was on no list is on one now: it stays, and has a history from here on. */
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
  /** Whether, with no record there, one with the very sequence that was seen last may come back. */
  isSequenceEnough: boolean
}

/** @throws CairnError IPNS_RECORD_OUTDATED */
async function takeNewer(
  trx: Kysely<Schema>,
  record: NameRecord,
  row: NameRow,
  { now, isListed: listed, isSequenceEnough }: Taking,
): Promise<void> {
  const known = recordOf(row)
  const seen = row.sequence === null ? undefined : BigInt(row.sequence)
  const isTaken =
    known !== undefined
      ? isNewer(record, known)
      : seen === undefined || record.sequence > seen || (isSequenceEnough && record.sequence === seen)
  // An owner who signs on two machines at once would else overwrite one publication by the other, and never know.
  const isOther = isSequenceEnough && known?.sequence === record.sequence && known.value !== record.value
  if (isTaken && !isOther) {
    await writeRecord(trx, record, { now, isListed: listed })
    return
  }
  if (known !== undefined && Buffer.from(known.bytes).equals(record.bytes)) return
  throw outdated(seen)
}

/** What an older record than the newest known is answered with. */
export function outdated(seen: bigint | undefined): CairnError {
  return new CairnError('IPNS_RECORD_OUTDATED', { details: seen === undefined ? {} : { sequence: seen.toString() } })
}
