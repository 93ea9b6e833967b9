import { createRecord, type NameKey, type NameRecord, nameKeyFromSeed, readRecord } from '@cairn/names'
import { CairnError, nameLifetimeMs, nameTtlMs } from '@cairn/protocol'
import { outdated, recordOf } from './accept-record.ts'
import { inTurn } from './in-turn.ts'
import type { NamesContext } from './names-context.ts'
import { openSeed, secretIdOf } from './seal-key.ts'
import { chooseSequence, sequenceMost, toSequenceText } from './sequence.ts'
import { type EntryRow, findEntry, findName, lockName, type NameRow, writeRecord } from './store.ts'

/** Tries to publish while other replicas publish the same name: each that fails means that one of the others did it. */
const triesMost = 100
/** A record is renewed after this part of its life. */
const renewAfter = 1 / 3

/** What is to be published. */
export type Publication = {
  /** As `parseNameValue` gives it. */
  value: string
  lifetimeMs?: number | undefined
  ttlMs?: number | undefined
  sequence?: bigint | undefined
}

/** The key of a name, out of its seal. @throws CairnError NAME_KEY_WITH_OWNER, DATA_DAMAGED, INVALID_CONFIGURATION */
export async function openNameKey({ secret }: Pick<NamesContext, 'secret'>, entry: EntryRow): Promise<NameKey> {
  if (entry.seal === null) throw new CairnError('NAME_KEY_WITH_OWNER')
  if (entry.secret_id !== secretIdOf(secret)) throw otherSecret()
  const key = await nameKeyFromSeed(openSeed(secret, entry, entry.seal))
  if (key.name !== entry.name) throw new CairnError('DATA_DAMAGED', { message: 'The key of this name is another’s' })
  return key
}

/** What is answered where a key was sealed by another secret than the service was given. */
export function otherSecret(): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: 'The keys of names were sealed with another secret than this service has',
    hint: 'The operator has to give it the secret they were made with (CAIRN_STORAGE_SECRET, or storage.key in its home).',
  })
}

/**
 * Signs a record with a sequence above every one that was ever seen for the name, and publishes it. Of several publications
 * at once, on whichever replicas, each gets a sequence of its own.
 * @throws CairnError as openNameKey; NAME_NOT_FOUND, IPNS_RECORD_OUTDATED (a sequence that was asked for), CONFLICT
 */
export function publishRecord(context: NamesContext, entry: EntryRow, publication: Publication): Promise<NameRecord> {
  // Signing takes time: in one process nobody signs what another would outrun.
  return inTurn(context.db, entry.name, () => publishNext(context, entry, publication))
}

async function publishNext(
  context: NamesContext,
  entry: EntryRow,
  { value, lifetimeMs = nameLifetimeMs, ttlMs = nameTtlMs, sequence: wanted }: Publication,
): Promise<NameRecord> {
  const key = await openNameKey(context, entry)
  if (wanted !== undefined && wanted > sequenceMost) {
    throw new CairnError('INVALID_REQUEST', { message: 'A sequence has 64 bits' })
  }
  for (let tries = 0; tries < triesMost; tries++) {
    const now = context.clock.now()
    const row = await findName(context.db.read, entry.name)
    const seen = row?.sequence == null ? undefined : BigInt(row.sequence)
    if (wanted !== undefined && seen !== undefined && wanted <= seen) throw outdated(seen)
    const sequence = wanted ?? chooseSequence(seen, now)
    if (sequence === undefined) throw outdated(seen)
    const options = { value, sequence, lifetimeMs, ttlMs: Math.min(ttlMs, lifetimeMs), now }
    const record = await readRecord(key.name, await createRecord(key, options), now)
    const isDone = await context.db.write(async (trx) => {
      const locked = await lockName(trx, entry.name)
      const current = await findEntry(trx, entry.address, { id: entry.id })
      if (locked === undefined || current === undefined) throw new CairnError('NAME_NOT_FOUND')
      if (locked.sequence !== (seen === undefined ? null : toSequenceText(seen))) return false
      const renewal = { lifetimeMs, at: now + Math.floor(lifetimeMs * renewAfter) }
      await writeRecord(trx, record, { now, isListed: true, renewal })
      await trx.updateTable('name_entry').set({ updated_at: now }).where('id', '=', entry.id).execute()
      return true
    })
    if (isDone) return record
  }
  throw new CairnError('CONFLICT', { message: 'This name is published by too many at once' })
}

/**
 * Signs what a name points to once more, with the same sequence and a later end: readers take the one that lives longer, and
 * whatever its owner published elsewhere, with a higher sequence, still wins over it.
 * @returns false where something else was published meanwhile
 */
export async function renewRecord(context: NamesContext, entry: EntryRow, row: NameRow): Promise<boolean> {
  const known = recordOf(row)
  const { lifetime_ms: lifetimeMs } = row
  if (known === undefined || lifetimeMs === null) return false
  const key = await openNameKey(context, entry)
  const now = context.clock.now()
  const { value, sequence, ttlMs } = known
  const record = await readRecord(key.name, await createRecord(key, { value, sequence, lifetimeMs, ttlMs, now }), now)
  return context.db.write(async (trx) => {
    const locked = await lockName(trx, row.name)
    const isSame = locked?.sequence === row.sequence && locked?.renew_at === row.renew_at
    // A clock that went back must not shorten what is out already.
    if (record.validUntil <= known.validUntil) return false
    if (!isSame || (await findEntry(trx, entry.address, { id: entry.id })) === undefined) return false
    const renewal = { lifetimeMs, at: now + Math.floor(lifetimeMs * renewAfter) }
    await writeRecord(trx, record, { now, isListed: true, renewal })
    return true
  })
}
