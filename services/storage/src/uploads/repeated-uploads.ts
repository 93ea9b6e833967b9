import { hash } from 'node:crypto'
import { CairnError, MIB } from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Bytes of a stored key: as many random bits as a UUID has, for a small index. */
const keyBytes = 16

/** Bodies up to this size are received again, and only then compared: a lookup before each would cost the first of them more. */
const minKnownBytes = MIB

const cidsInOneQuery = 200

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
 * @param request the uploads that could not be recorded; the first has the key
 * @param error of the unit of work that recorded them
 * @throws CairnError as {@link findKeyed}; INVALID_REQUEST also if one of the other uploads is not stored
 */
export async function findRepeated(
  db: Kysely<Schema>,
  { address, uploads }: { address: string; uploads: Iterable<RepeatedRequest> },
  error: unknown,
): Promise<KeyedUpload | undefined> {
  const [first, ...others] = uploads
  if (first === undefined || !isUniqueViolation(error)) return undefined
  const stored = await findKeyed(db, first)
  if (stored !== undefined) await requireStored(db, address, others)
  return stored
}

/** Requires that an account has each of these uploads: the response to a repeated request names all of them. */
async function requireStored(db: Kysely<Schema>, address: string, uploads: readonly RepeatedRequest[]): Promise<void> {
  for (let at = 0; at < uploads.length; at += cidsInOneQuery) {
    const some = uploads.slice(at, at + cidsInOneQuery)
    const wanted = new Set(some.map(({ cid }) => `${cid}`))
    const rows = await db
      .selectFrom('upload')
      .select('cid')
      .distinct()
      .where('address', '=', address)
      .where('cid', 'in', [...wanted])
      .where('is_private', '=', some[0]?.isPrivate ? 1 : 0)
      .where('status', '!=', 'deleting')
      .execute()
    if (rows.length < wanted.size) throw otherUpload('of other content')
  }
}

function otherUpload(which: string): CairnError {
  return new CairnError('INVALID_REQUEST', {
    message: `The idempotency-key belongs to an upload ${which}`,
    hint: 'Use a new random key for each upload.',
  })
}
