import { createRecord, type NameKey, type NameRecord, nameKeyFromSeed, readRecord } from '@cairn/names'
import { CairnError, nameLifetimeMs, nameTtlMs } from '@cairn/protocol'
import { createKeyedMutex, type KeyedMutex } from '@cairn/service'
import { recordEvents } from '../events/events.ts'
import { secretIdOf } from '../secrets/seal.ts'
import { describePublished, outdated, recordOf } from './accept-record.ts'
import type { NamesContext } from './names-context.ts'
import { openSeed } from './seal-key.ts'
import { chooseSequence, maxSequence, toSequenceText } from './sequence.ts'
import { type EntryRow, findEntry, findName, lockName, type NameRow, writeRecord } from './store.ts'

/**
 * Maximum number of attempts while other replicas publish the same name: each failure means that one of them
 * succeeded.
 */
const maxTries = 100
/** A record is renewed after this fraction of its lifetime. */
const renewAfter = 1 / 3

/** The secrets that name keys are sealed under. */
export type Secrets = Pick<NamesContext, 'secret' | 'secondarySecret'>

/** A publication. */
export type Publication = {
  /** As returned by `parseNameValue`. */
  value: string
  lifetimeMs?: number | undefined
  ttlMs?: number | undefined
  sequence?: bigint | undefined
}

/** Opens the sealed key of a name. @throws CairnError NAME_KEY_WITH_OWNER, DATA_DAMAGED, INVALID_CONFIGURATION */
export async function openNameKey({ secret, secondarySecret }: Secrets, entry: EntryRow): Promise<NameKey> {
  if (entry.seal === null) throw new CairnError('NAME_KEY_WITH_OWNER')
  const own = [secret, secondarySecret].find((one) => one !== undefined && secretIdOf(one) === entry.secret_id)
  if (own === undefined) throw otherSecret()
  const key = await nameKeyFromSeed(openSeed(own, entry, entry.seal))
  if (key.name !== entry.name)
    throw new CairnError('DATA_DAMAGED', { message: 'Another account has the key of this name' })
  return key
}

/** The error for a key sealed with another secret than the configured one. */
export function otherSecret(): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: 'The name keys were sealed with a different secret',
    hint: 'The operator must restore the original secret (CAIRN_STORAGE_SECRET, or storage.key in CAIRN_HOME).',
  })
}

/** Names that this process signs records of, by the database that holds them. */
const signing = new WeakMap<object, KeyedMutex>()

/**
 * Signs a record with a sequence above every one ever seen for the name, and publishes it. Of concurrent
 * publications, on any replica, each gets its own sequence.
 * @throws CairnError as openNameKey; NAME_NOT_FOUND, IPNS_RECORD_OUTDATED (a requested sequence), CONFLICT
 */
export function publishRecord(context: NamesContext, entry: EntryRow, publication: Publication): Promise<NameRecord> {
  // Signing takes time, so publications within one process run one by one instead of outdating each other.
  const mutex = signing.get(context.db) ?? createKeyedMutex()
  signing.set(context.db, mutex)
  return mutex.run(entry.name, () => publishNext(context, entry, publication))
}

async function publishNext(
  context: NamesContext,
  entry: EntryRow,
  { value, lifetimeMs = nameLifetimeMs, ttlMs = nameTtlMs, sequence: wanted }: Publication,
): Promise<NameRecord> {
  const key = await openNameKey(context, entry)
  if (wanted !== undefined && wanted > maxSequence) {
    throw new CairnError('INVALID_REQUEST', { message: 'A sequence number must fit into 64 bits' })
  }
  for (let tries = 0; tries < maxTries; tries++) {
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
      await recordEvents(trx, entry.address, now, describePublished(record))
      return true
    })
    if (isDone) return record
  }
  throw new CairnError('CONFLICT', { message: 'Too many requests publish this name at the same time' })
}

/**
 * Signs the current target again, with the same sequence and a later expiry: readers prefer the later expiry, and a
 * record that its owner published elsewhere, with a higher sequence, still takes precedence.
 * @returns false when another record was published meanwhile
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
    // A clock that went back must not shorten a published lifetime.
    if (record.validUntil <= known.validUntil) return false
    if (!isSame || (await findEntry(trx, entry.address, { id: entry.id })) === undefined) return false
    const renewal = { lifetimeMs, at: now + Math.floor(lifetimeMs * renewAfter) }
    await writeRecord(trx, record, { now, isListed: true, renewal })
    return true
  })
}
