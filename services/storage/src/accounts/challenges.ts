import { createHmac, randomBytes } from 'node:crypto'
import {
  CairnError,
  challengeLifetimeMs,
  type KeyGrant,
  keyScopes,
  makeKeyGrant,
  writeKeyExpiry,
} from '@cairn/protocol'
import { rateLimitKey } from '@cairn/service'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { deriveKey } from '../secrets/derive-key.ts'
import { findSigned, type Signed } from './find-signed.ts'

/** Maximum number of open messages per address; a new one evicts one of {@link findEvicted}. */
const maxOpenChallenges = 16

/** The use of a signature. */
export type Use = 'key' | 'upload'

/** Purposes of a message: one use, or `either` for clients that name none. The values are the words of the text. */
const purposes = {
  key: 'Create an API key',
  upload: 'Authorise one upload',
  either: 'Create an API key or authorise one upload',
} as const
export type Purpose = keyof typeof purposes

/** A message that was signed and not spent yet. */
export type SignedChallenge = {
  nonce: string
  purpose: Purpose
  /** Rights of the API key created with it; null if it creates none. */
  grant: KeyGrant | null
}

/**
 * Writes a message for an address to sign: its purpose, what it grants, the address, its validity and a nonce.
 * Published clients check its first words. Otherwise the format follows EIP-4361.
 * @param ip of the caller, who may be a stranger
 */
export async function issueChallenge(
  context: Context,
  address: string,
  { purpose, grant }: Pick<SignedChallenge, 'purpose' | 'grant'>,
  ip: string,
): Promise<string> {
  const now = context.clock.now()
  const asker = nameAsker(context, ip)
  const nonce = randomBytes(16).toString('hex')
  const expiresAt = now + challengeLifetimeMs
  const message = [
    `Please prove you are the owner of this account: ${address}`,
    '',
    `Purpose: ${purposes[purpose]}`,
    ...(grant === null
      ? []
      : [`Key Scopes: ${grant.scopes.join(', ')}`, `Key Expiration Time: ${writeKeyExpiry(grant.expiresAt)}`]),
    `Domain: ${nameDomain(context)}`,
    `Network: ${context.config.networkName}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(now).toISOString()}`,
    `Expiration Time: ${new Date(expiresAt).toISOString()}`,
  ].join('\n')
  await context.db.write(async (trx) => {
    await trx.deleteFrom('challenge').where('expires_at', '<', now).execute()
    const open = await trx
      .selectFrom('challenge')
      .select(['nonce', 'asker', 'used_at'])
      .where('address', '=', address)
      .orderBy('created_at')
      .orderBy('nonce')
      .execute()
    const evicted = findEvicted(open, asker)
    if (evicted.length > 0) await trx.deleteFrom('challenge').where('nonce', 'in', evicted).execute()
    const key_grant = grant === null ? null : JSON.stringify(grant)
    await trx
      .insertInto('challenge')
      .values({
        nonce,
        address,
        purpose,
        key_grant,
        message,
        asker,
        created_at: now,
        expires_at: expiresAt,
        used_at: null,
      })
      .execute()
  })
  return message
}

/**
 * Returns the messages of an address that make place for a new one: used ones first, then the oldest of the asker with the most.
 * Anyone may ask for a message of any address, so a stranger displaces its own.
 * @param open the messages of the address, oldest first
 */
function findEvicted(
  open: readonly { nonce: string; asker: string | null; used_at: number | null }[],
  asker: string,
): string[] {
  const kept = [...open]
  const evicted: string[] = []
  while (kept.length >= maxOpenChallenges) {
    const counts = new Map<string | null, number>([[asker, 1]])
    for (const one of kept) counts.set(one.asker, (counts.get(one.asker) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const used = kept.findIndex((one) => one.used_at !== null)
    const at = used === -1 ? kept.findIndex((one) => counts.get(one.asker) === most) : used
    const [removed] = kept.splice(Math.max(at, 0), 1)
    if (removed !== undefined) evicted.push(removed.nonce)
  }
  return evicted
}

/** Returns a pseudonym of an IP address, so that the database does not reveal who asked. IPv6 counts by its first 64 bits. */
function nameAsker({ secret }: Pick<Context, 'secret'>, ip: string): string {
  return createHmac('sha256', deriveKey(secret, 'challenges')).update(rateLimitKey(ip)).digest('hex').slice(0, 32)
}

/**
 * Names the service in the message. A signature for one service is useless at another, because their nonces differ.
 */
function nameDomain({ config }: Context): string {
  return config.publicApiUrl === undefined ? `${config.host}:${config.port}` : new URL(config.publicApiUrl).host
}

/**
 * Finds the open message of the address that matches a signature. Spends nothing.
 * @param use what the signature is presented for
 * @throws CairnError INVALID_SIGNATURE, CHALLENGE_EXPIRED, SIGNED_FOR_ANOTHER_USE, CHAIN_NOT_CONFIGURED,
 * UPSTREAM_FAILED, RATE_LIMITED
 */
export async function findChallenge(
  context: Context,
  { address, signature, ip }: Omit<Signed, 'messages'>,
  use: Use,
): Promise<SignedChallenge> {
  const rows = await context.db.read
    .selectFrom('challenge')
    .select(['nonce', 'purpose', 'key_grant', 'message', 'created_at', 'expires_at', 'used_at'])
    .where('address', '=', address)
    .orderBy('created_at', 'desc')
    .limit(maxOpenChallenges)
    .execute()
  // Unused messages first, because they are more likely: a contract wallet verifies only a few at a time.
  const likeliest = rows.toSorted((a, b) => Number(a.used_at !== null) - Number(b.used_at !== null))
  const messages = likeliest.map(({ message }) => message)
  const message = await findSigned(context, { address, messages, signature, ip })
  const row = rows.find((one) => one.message === message)
  if (row === undefined || row.used_at !== null || row.expires_at < context.clock.now()) {
    throw new CairnError('CHALLENGE_EXPIRED')
  }
  const purpose = readPurpose(row.purpose)
  if (purpose !== use && purpose !== 'either') {
    throw new CairnError('SIGNED_FOR_ANOTHER_USE', {
      message: `The message was signed to "${purposes[purpose]}" and is not valid for another purpose`,
    })
  }
  return { nonce: row.nonce, purpose, grant: purpose === 'upload' ? null : readGrant(row.key_grant, row.created_at) }
}

/**
 * Spends a message: it is valid for one use only, even with concurrent requests.
 * @throws CairnError CHALLENGE_EXPIRED if another request spent it first
 */
export async function spendChallenge(context: Context, { nonce }: SignedChallenge): Promise<void> {
  const spent = await context.db.write((trx) =>
    trx
      .updateTable('challenge')
      .set({ used_at: context.clock.now() })
      .where('nonce', '=', nonce)
      .where('used_at', 'is', null)
      .returning('nonce')
      .executeTakeFirst(),
  )
  if (spent === undefined) throw new CairnError('CHALLENGE_EXPIRED')
}

/** Messages of the previous version named both uses. */
function readPurpose(text: string): Purpose {
  return text === 'key' || text === 'upload' ? text : 'either'
}

const grantSchema = v.object({ scopes: keyScopes, expiresAt: v.nullable(v.number()) })

/** A message without a grant gives the minimum rights. */
function readGrant(json: string | null, createdAt: number): KeyGrant {
  return json === null ? makeKeyGrant({}, createdAt) : v.parse(grantSchema, JSON.parse(json))
}
