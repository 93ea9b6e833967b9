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
type KeyedUpload = { id: string; cid: string; name: string; dag_size_bytes: number }

/** Returns the key of an upload for its row. Each account has keys of its own. */
export function hashIdempotencyKey(address: string, key: string | undefined): Uint8Array | undefined {
  return key === undefined ? undefined : hash('sha256', `${address}:${key}`, 'buffer').subarray(0, keyBytes)
}

/** Whether the upload of a key is looked up before its body is received. */
export function isWorthLookup(bodyBytes: number | undefined): boolean {
  return bodyBytes === undefined || bodyBytes >= minKnownBytes
}

/** Returns the upload that has a key: its first one, if it has several roots. */
export function findKeyed(db: Kysely<Schema>, key: Uint8Array): Promise<KeyedUpload | undefined> {
  return db
    .selectFrom('upload')
    .select(['id', 'cid', 'name', 'dag_size_bytes'])
    .where('idempotency_key', '=', key)
    .where('status', '!=', 'deleting')
    .executeTakeFirst()
}

/**
 * Returns the upload that an earlier request with the same key stored; undefined if the error has another cause.
 * @param error of the unit of work that recorded the upload
 * @throws CairnError INVALID_REQUEST if that upload has other content
 */
export async function findRepeated(
  db: Kysely<Schema>,
  { cid, idempotencyKey: key }: { cid: { toString(): string }; idempotencyKey?: Uint8Array | undefined },
  error: unknown,
): Promise<KeyedUpload | undefined> {
  if (key === undefined || !isUniqueViolation(error)) return undefined
  const stored = await findKeyed(db, key)
  if (stored === undefined || stored.cid === cid.toString()) return stored
  throw new CairnError('INVALID_REQUEST', {
    message: 'The idempotency-key belongs to an upload of other content',
    hint: 'Use a new random key for each upload.',
  })
}
