import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ApiKeyInfo, scopes as allScopes, CairnError, type Scope } from '@cairn/protocol'
import type { Context } from '../context.ts'

/** Who calls: the account, the key, and what the key may do. */
export type Caller = { address: string; keyId: string; scopes: readonly Scope[] }

const prefix = 'cairn'
/** How seldom the time of a key's last use is written. */
const lastUsedStepMs = 60_000

/** `cairn_{id}_{256 random bits}{checksum}`: the checksum finds typing errors without asking the database. */
const keyPattern = /^cairn_([0-9a-z]{8})_([0-9a-f]{64})([0-9a-f]{8})$/

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function checksum(id: string, secret: string): string {
  return createHash('sha256').update(`${prefix}_${id}_${secret}`).digest('hex').slice(0, 8)
}

/** Makes a key. It is shown this once; the database keeps its hash. */
export async function issueApiKey(
  context: Context,
  wish: { address: string; name: string; scopes: readonly Scope[]; expiresAt: number | null },
): Promise<string> {
  const id = [...randomBytes(8)].map((byte) => '0123456789abcdefghijklmnopqrstuv'.charAt(byte % 32)).join('')
  const secret = randomBytes(32).toString('hex')
  await context.db.write((trx) =>
    trx
      .insertInto('api_key')
      .values({
        id,
        address: wish.address,
        name: wish.name,
        secret_hash: hash(secret),
        scopes: JSON.stringify(wish.scopes),
        created_at: context.clock.now(),
        expires_at: wish.expiresAt,
        last_used_at: null,
        revoked_at: null,
      })
      .execute(),
  )
  return `${prefix}_${id}_${secret}${checksum(id, secret)}`
}

/** Whose key it is. Asks the database each time, so that a revoked key is dead with the next request on every replica. */
export async function findApiKey(context: Context, token: string): Promise<Caller> {
  const [, id = '', secret = '', sum = ''] = keyPattern.exec(token) ?? []
  if (id === '' || sum !== checksum(id, secret)) throw new CairnError('UNAUTHENTICATED')
  const row = await context.db.read
    .selectFrom('api_key')
    .select(['address', 'secret_hash', 'scopes', 'expires_at', 'last_used_at', 'revoked_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined || !timingSafeEqual(row.secret_hash, hash(secret))) throw new CairnError('UNAUTHENTICATED')
  const now = context.clock.now()
  if (row.revoked_at !== null) throw new CairnError('API_KEY_REVOKED')
  if (row.expires_at !== null && row.expires_at <= now) throw new CairnError('API_KEY_EXPIRED')
  if (now - (row.last_used_at ?? 0) >= lastUsedStepMs) noteUse(context, id, now)
  return { address: row.address, keyId: id, scopes: readScopes(row.scopes) }
}

/** Off the request's way: a listing's time of last use is worth no waiting, and its loss no error. */
function noteUse(context: Context, id: string, now: number): void {
  context.db
    .write((trx) => trx.updateTable('api_key').set({ last_used_at: now }).where('id', '=', id).execute())
    .catch((error: unknown) => context.failures.failed('key use', error, 'cannot note when a key was used'))
}

function readScopes(json: string): Scope[] {
  const parsed: unknown = JSON.parse(json)
  return allScopes.filter((scope) => Array.isArray(parsed) && parsed.includes(scope))
}

export async function listKeys(context: Context, address: string): Promise<ApiKeyInfo[]> {
  const rows = await context.db.read
    .selectFrom('api_key')
    .select(['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'])
    .where('address', '=', address)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1000)
    .execute()
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
  const known = await context.db.write(async (trx) => {
    await trx
      .updateTable('api_key')
      .set({ revoked_at: context.clock.now() })
      .where('id', '=', id)
      .where('address', '=', address)
      .where('revoked_at', 'is', null)
      .execute()
    return trx.selectFrom('api_key').select('id').where('id', '=', id).where('address', '=', address).executeTakeFirst()
  })
  if (known === undefined) throw new CairnError('NOT_FOUND')
}
