import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ApiKeyInfo, scopes as allScopes, CairnError, type Scope } from '@cairn/protocol'
import { prepareStatement, type StatementParams } from '@cairn/service'
import type { Kysely, Selectable } from 'kysely'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { recordEvents } from '../events/events.ts'

const prefix = 'cairn'
/** Minimum interval between writes of a key's last use. */
const lastUsedStepMs = 60_000

/** `cairn_{id}_{256 random bits}{checksum}`: the checksum detects typing errors without a database query. */
const keyPattern = /^cairn_([0-9a-z]{8})_([0-9a-f]{64})([0-9a-f]{8})$/

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function checksum(id: string, secret: string): string {
  return createHash('sha256').update(`${prefix}_${id}_${secret}`).digest('hex').slice(0, 8)
}

/** Creates an API key. Its text is returned only here; the database stores its hash. */
export async function issueApiKey(
  context: Context,
  params: { address: string; name: string; scopes: readonly Scope[]; expiresAt: number | null },
): Promise<string> {
  const id = [...randomBytes(8)].map((byte) => '0123456789abcdefghijklmnopqrstuv'.charAt(byte % 32)).join('')
  const secret = randomBytes(32).toString('hex')
  const { address, name, expiresAt } = params
  const now = context.clock.now()
  await context.db.write(async (trx) => {
    await trx
      .insertInto('api_key')
      .values({
        id,
        address,
        name,
        secret_hash: hash(secret),
        scopes: JSON.stringify(params.scopes),
        created_at: now,
        expires_at: expiresAt,
        last_used_at: null,
        revoked_at: null,
      })
      .execute()
    await recordEvents(trx, address, now, {
      type: 'api_key.created',
      data: { keyId: id, name, scopes: params.scopes.join(','), expiresAt },
    })
  })
  return `${prefix}_${id}_${secret}${checksum(id, secret)}`
}

/**
 * Finds the owner of an API key. Queries the database each time, so that a revoked key fails with the next request on
 * every replica.
 */
export async function findApiKey(context: Context, token: string): Promise<Caller> {
  const [, id = '', secret = '', sum = ''] = keyPattern.exec(token) ?? []
  if (id === '' || sum !== checksum(id, secret)) throw new CairnError('UNAUTHENTICATED')
  const [row] = await keyById(context.db.read, { id })
  if (row === undefined || !timingSafeEqual(row.secret_hash, hash(secret))) throw new CairnError('UNAUTHENTICATED')
  return useKey(context, id, row)
}

/**
 * Returns why keys no longer authenticate, by id; keys that do are absent. For callers that keep a request open for longer than
 * the check at its start covers.
 */
export async function findEndedKeys(context: Context, ids: readonly string[]): Promise<Map<string, CairnError>> {
  const rows = await context.db.read
    .selectFrom('api_key')
    .leftJoin('account', 'account.address', 'api_key.address')
    .select(['api_key.id', 'expires_at', 'revoked_at', 'blocked_at'])
    .where('api_key.id', 'in', ids)
    .execute()
  const known = new Map(rows.map((row) => [row.id, row]))
  const now = context.clock.now()
  return new Map(
    ids.flatMap((id) => {
      const row = known.get(id)
      const reason = row === undefined ? new CairnError('UNAUTHENTICATED') : findReason(row, now)
      return reason === undefined ? [] : [[id, reason] as const]
    }),
  )
}

type KeyRow = Pick<
  Selectable<Schema['api_key']>,
  'address' | 'secret_hash' | 'scopes' | 'expires_at' | 'last_used_at' | 'revoked_at'
> & { blocked_at: number | null }

/** Columns of an API key and its account that {@link useKey} reads. */
export const keyColumns = [
  'api_key.address',
  'api_key.secret_hash',
  'api_key.scopes',
  'api_key.expires_at',
  'api_key.last_used_at',
  'api_key.revoked_at',
  'account.blocked_at',
] as const

/** One query for key and account, because each request runs it. */
const keyById = prepareStatement((db: Kysely<Schema>, param: StatementParams<{ id: string }>) =>
  db
    .selectFrom('api_key')
    .leftJoin('account', 'account.address', 'api_key.address')
    .select(keyColumns)
    .where('api_key.id', '=', param('id')),
)

/**
 * Returns the caller of a request, for a request that proves to have the key.
 * @throws CairnError API_KEY_EXPIRED, API_KEY_REVOKED, ACCOUNT_BLOCKED
 */
export function useKey(context: Context, id: string, row: KeyRow): Caller {
  const now = context.clock.now()
  const reason = findReason(row, now)
  if (reason !== undefined) throw reason
  if (now - (row.last_used_at ?? 0) >= lastUsedStepMs) noteUse(context, id, now)
  return { address: row.address, keyId: id, scopes: readScopes(row.scopes) }
}

/** Returns why a key does not authenticate, if it does not. */
function findReason(
  row: Pick<KeyRow, 'revoked_at' | 'expires_at' | 'blocked_at'>,
  now: number,
): CairnError | undefined {
  if (row.revoked_at !== null) return new CairnError('API_KEY_REVOKED')
  if (row.expires_at !== null && row.expires_at <= now) return new CairnError('API_KEY_EXPIRED')
  return row.blocked_at === null ? undefined : new CairnError('ACCOUNT_BLOCKED')
}

/** Runs outside the request: the time of last use is worth no delay, and its loss is not an error. */
function noteUse(context: Context, id: string, now: number): void {
  context.db
    .write((trx) => trx.updateTable('api_key').set({ last_used_at: now }).where('id', '=', id).execute())
    .catch((error: unknown) => context.failures.failed('key use', error, 'failed to record the use of an API key'))
}

function readScopes(json: string): Scope[] {
  const parsed: unknown = JSON.parse(json)
  return allScopes.filter((scope) => Array.isArray(parsed) && parsed.includes(scope))
}

/** Keys that are listed, unless more are valid. */
const maxListedKeys = 1000
/** A person signs a message for each. */
const maxValidKeys = 4000

/**
 * Lists keys that are not revoked, newest first: all that are valid, so that each can be revoked, and the newest of those
 * that expired.
 */
export async function listKeys(context: Context, address: string): Promise<ApiKeyInfo[]> {
  const now = context.clock.now()
  const newest = (isValid: boolean, maxRows: number) =>
    context.db.read
      .selectFrom('api_key')
      .select(['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'])
      .where('address', '=', address)
      .where('revoked_at', 'is', null)
      .where(({ eb, or }) =>
        isValid ? or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]) : eb('expires_at', '<=', now),
      )
      .orderBy('created_at', 'desc')
      .limit(maxRows)
      .execute()
  const valid = await newest(true, maxValidKeys)
  const expired = valid.length < maxListedKeys ? await newest(false, maxListedKeys - valid.length) : []
  const rows = [...valid, ...expired].sort((one, other) => other.created_at - one.created_at)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scopes: readScopes(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }))
}

export async function revokeKey(context: Context, address: string, id: string): Promise<void> {
  const now = context.clock.now()
  const known = await context.db.write(async (trx) => {
    const key = await trx
      .selectFrom('api_key')
      .select('name')
      .where('id', '=', id)
      .where('address', '=', address)
      .executeTakeFirst()
    const { numUpdatedRows } = await trx
      .updateTable('api_key')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('address', '=', address)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (key !== undefined && numUpdatedRows > 0n) {
      await recordEvents(trx, address, now, { type: 'api_key.revoked', data: { keyId: id, name: key.name } })
    }
    return key
  })
  if (known === undefined) throw new CairnError('NOT_FOUND')
}
