import { hash } from 'node:crypto'
import { CairnError, MIB } from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Bytes of a stored key: as many random bits as a UUID has, for a small index. */
const keyBytes = 16

/** Bodies up to this size are received again, and only then compared: a lookup before each would cost the first of them more. */
const minKnownBytes = MIB

/** An upload with a key, as its row has it. */
export type KeyedUpload = { id: string; cid: string; name: string; dag_size_bytes: number; is_private: 0 | 1 }

/** What a request with a key must have in common with the first one: `cid` only once its content is known. */
export type RepeatedRequest = {
  cid?: { toString(): string } | undefined
  isPrivate?: boolean | undefined
  idempotencyKey?: Uint8Array | undefined
}

/** Returns the key of an upload for its row. Each account has keys of its own. */
export function hashIdempotencyKey(address: string, key: string | undefined): Uint8Array | undefined {
  return key === undefined ? undefined : hash('sha256', `${address}:${key}`, 'buffer').subarray(0, keyBytes)
}

/** Whether the upload of a key is looked up before its body is received. */
export function isWorthLookup(bodyBytes: number | undefined): boolean {
  return bodyBytes === undefined || bodyBytes >= minKnownBytes
}

/**
 * Returns the upload that an earlier request with the same key stored: its first one, if it has several roots.
 * @throws CairnError INVALID_REQUEST if that upload has other content, or is public and this one private, or the other way round
 */
export async function findKeyed(
  db: Kysely<Schema>,
  { cid, isPrivate = false, idempotencyKey: key }: RepeatedRequest,
): Promise<KeyedUpload | undefined> {
  if (key === undefined) return undefined
  const stored = await db
    .selectFrom('upload')
    .select(['id', 'cid', 'name', 'dag_size_bytes', 'is_private'])
    .where('idempotency_key', '=', key)
    .where('status', '!=', 'deleting')
    .executeTakeFirst()
  if (stored === undefined) return undefined
  if (cid !== undefined && stored.cid !== cid.toString()) throw otherUpload('of other content')
  if ((stored.is_private === 1) !== isPrivate) throw otherUpload(isPrivate ? 'that is public' : 'that is private')
  return stored
}

/**
 * Returns the upload that an earlier request with the same key stored; undefined if the error has another cause.
 * @param error of the unit of work that recorded the upload
 * @throws CairnError as {@link findKeyed}
 */
export async function findRepeated(
  db: Kysely<Schema>,
  request: RepeatedRequest,
  error: unknown,
): Promise<KeyedUpload | undefined> {
  return isUniqueViolation(error) ? findKeyed(db, request) : undefined
}

function otherUpload(which: string): CairnError {
  return new CairnError('INVALID_REQUEST', {
    message: `The idempotency-key belongs to an upload ${which}`,
    hint: 'Use a new random key for each upload.',
  })
}
