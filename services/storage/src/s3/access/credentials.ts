import { randomBytes } from 'node:crypto'
import type { S3Rule, Scope } from '@cairn/protocol'
import { CairnError, s3RuleSchema } from '@cairn/protocol'
import { prepareStatement, type StatementParams } from '@cairn/service'
import type { Kysely } from 'kysely'
import * as v from 'valibot'
import { authenticate, ensureAccount, issueApiKey, keyColumns, useKey } from '../../accounts/accounts.ts'
import type { Context } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { recordEvents } from '../../events/events.ts'
import { createLruCache, type LruCache } from '../../lru-cache.ts'
import { deriveKey } from '../../secrets/derive-key.ts'
import { s3Error } from '../s3-error.ts'

/** An access key pair. */
type S3KeyPair = { accessKeyId: string; secretAccessKey: string }

/** An access key, and its account. */
export type S3Credential = {
  accessKeyId: string
  /** The secret access key, by each secret that the service accepts: two while one replaces the other. */
  secretAccessKeys: readonly string[]
  address: string
  scopes: readonly Scope[]
  rules: readonly S3Rule[]
}

const rulesSchema = v.array(s3RuleSchema)
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** Maximum number of access keys per account. */
const maxAccessKeys = 1000
/** Length of a secret in bytes: 40 characters of base64, as S3 clients know them. */
const secretBytes = 30

/** Secrets of access keys in use, by the secret of the service. */
const derivedSecrets = new WeakMap<Uint8Array, LruCache<string>>()

/** Derives the secret from the access key's id and the secret of the service, so that no secret is stored. */
function deriveSecret(secret: Uint8Array, accessKeyId: string): string {
  const known = derivedSecrets.get(secret) ?? createLruCache<string>(4096)
  derivedSecrets.set(secret, known)
  const derived =
    known.get(accessKeyId) ?? Buffer.from(deriveKey(secret, `s3 ${accessKeyId}`, secretBytes)).toString('base64')
  known.set(accessKeyId, derived, 1)
  return derived
}

/**
 * Creates an access key of S3 for an API key. It has at most the rights of the API key, and expires with it.
 * @param rules its rights; empty for all rights of the API key
 * @throws CairnError FORBIDDEN (too many access keys)
 */
export async function createS3Credential(
  context: Context,
  key: { address: string; keyId: string },
  rules: readonly S3Rule[],
): Promise<S3KeyPair> {
  const accessKeyId = `CAIRN${[...randomBytes(15)].map((byte) => alphabet.charAt(byte % 32)).join('')}`
  const now = context.clock.now()
  await context.db.write(async (trx) => {
    await requireCapacity(trx, key.address, now)
    await trx
      .insertInto('s3_credential')
      .values({
        id: accessKeyId,
        api_key_id: key.keyId,
        address: key.address,
        rules: JSON.stringify(rules),
        created_at: now,
      })
      .execute()
    await recordEvents(trx, key.address, now, {
      type: 's3_key.created',
      data: { accessKeyId, keyId: key.keyId },
    })
  })
  return { accessKeyId, secretAccessKey: deriveSecret(context.secret, accessKeyId) }
}

/** Removes the access keys of revoked and expired API keys, which no longer open anything. @throws CairnError FORBIDDEN */
async function requireCapacity(trx: Kysely<Schema>, address: string, now: number): Promise<void> {
  const keys = trx.selectFrom('api_key').select('id').where('address', '=', address)
  const ended = keys.where(({ eb, or }) => or([eb('revoked_at', 'is not', null), eb('expires_at', '<=', now)]))
  await trx.deleteFrom('s3_credential').where('api_key_id', 'in', ended).execute()
  const { count } = await trx
    .selectFrom('s3_credential')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('api_key_id', 'in', keys)
    .executeTakeFirstOrThrow()
  if (Number(count) < maxAccessKeys) return
  throw new CairnError('FORBIDDEN', {
    message: `This account has reached its limit of ${maxAccessKeys} S3 access keys`,
    hint: 'Revoke API keys whose S3 access keys are no longer needed.',
  })
}

/**
 * Returns the access key of an account by name. The first call creates it with a separate API key. Local networks publish it in
 * their profile.
 */
export async function findOrCreateS3Credential(context: Context, address: string, name: string): Promise<S3KeyPair> {
  const found = await context.db.read
    .selectFrom('s3_credential')
    .innerJoin('api_key', 'api_key.id', 's3_credential.api_key_id')
    .select('s3_credential.id')
    .where('api_key.address', '=', address)
    .where('api_key.name', '=', name)
    .where('api_key.revoked_at', 'is', null)
    .executeTakeFirst()
  if (found !== undefined) return { accessKeyId: found.id, secretAccessKey: deriveSecret(context.secret, found.id) }
  await ensureAccount(context, address, '127.0.0.1')
  const token = await issueApiKey(context, { address, name, scopes: ['files:read', 'files:write'], expiresAt: null })
  return createS3Credential(context, await authenticate(context, token), [])
}

/** One query for credential, API key and account, because each request runs it. */
const credentialById = prepareStatement((db: Kysely<Schema>, param: StatementParams<{ id: string }>) =>
  db
    .selectFrom('s3_credential')
    .innerJoin('api_key', 'api_key.id', 's3_credential.api_key_id')
    .leftJoin('account', 'account.address', 'api_key.address')
    .select(['s3_credential.api_key_id', 's3_credential.rules', ...keyColumns])
    .where('s3_credential.id', '=', param('id')),
)

/**
 * Finds the holder of an access key. Reads the database each time, so that every replica rejects a revoked key immediately.
 * @throws CairnError `InvalidAccessKeyId`, API_KEY_EXPIRED, API_KEY_REVOKED
 */
export async function findS3Credential(context: Context, accessKeyId: string): Promise<S3Credential> {
  const [row] = await credentialById(context.db.read, { id: accessKeyId })
  if (row === undefined) throw s3Error('InvalidAccessKeyId')
  const { address, scopes } = useKey(context, row.api_key_id, row)
  const secrets = [context.secret, context.secondarySecret].filter((secret) => secret !== undefined)
  return {
    accessKeyId,
    secretAccessKeys: secrets.map((secret) => deriveSecret(secret, accessKeyId)),
    address,
    scopes,
    rules: v.parse(rulesSchema, JSON.parse(row.rules)),
  }
}
