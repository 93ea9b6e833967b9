import { randomBytes } from 'node:crypto'
import { CairnError, challengeLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { findSigned, type Signed } from './find-signed.ts'

/** Messages of one address that can be open at once; a new one drives the oldest out. */
const openChallengesMost = 16

/** Only a message with this purpose makes an API key. */
const purpose = 'api-key'

/**
 * Writes a message for an address to sign: what it is for, for whom, from when to when, and a nonce.
 * Published clients look for its first words. The form follows EIP-4361 where that leaves them standing.
 */
export async function issueChallenge(context: Context, address: string, forWhat: string): Promise<string> {
  const now = context.clock.now()
  const nonce = randomBytes(16).toString('hex')
  const expiresAt = now + challengeLifetimeMs
  const message = [
    `Please prove you are the owner of this account: ${address}`,
    '',
    `Purpose: ${forWhat}`,
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
      .select('nonce')
      .where('address', '=', address)
      .orderBy('created_at', 'desc')
      .orderBy('nonce')
      .offset(openChallengesMost - 1)
      .limit(openChallengesMost)
      .execute()
    if (open.length > 0) {
      const dropped = open.map((row) => row.nonce)
      await trx.deleteFrom('challenge').where('nonce', 'in', dropped).execute()
    }
    await trx
      .insertInto('challenge')
      .values({ nonce, address, purpose, message, created_at: now, expires_at: expiresAt, used_at: null })
      .execute()
  })
  return message
}

/** Where the message counts: a signature shown to one service is worth nothing at another, for its nonces differ. */
function nameDomain({ config }: Context): string {
  return config.publicApiUrl === undefined ? `${config.host}:${config.port}` : new URL(config.publicApiUrl).host
}

/**
 * Accepts a signature of any open message of the address, and spends that message: it is good for one try only, also
 * with many requests at once.
 * @throws CairnError INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED
 */
export async function spendChallenge(
  context: Context,
  { address, signature, ip }: Omit<Signed, 'messages'>,
): Promise<void> {
  const now = context.clock.now()
  const rows = await context.db.read
    .selectFrom('challenge')
    .select(['nonce', 'message', 'expires_at', 'used_at'])
    .where('address', '=', address)
    .where('purpose', '=', purpose)
    .orderBy('created_at', 'desc')
    .limit(openChallengesMost)
    .execute()
  // Unused ones are the likelier: a contract wallet is asked about a few at a time.
  const messages = rows
    .toSorted((a, b) => Number(a.used_at !== null) - Number(b.used_at !== null))
    .map(({ message }) => message)
  const message = await findSigned(context, { address, messages, signature, ip })
  const signed = rows.find((row) => row.message === message)
  if (signed === undefined || signed.used_at !== null || signed.expires_at < now)
    throw new CairnError('CHALLENGE_EXPIRED')
  const spent = await context.db.write((trx) =>
    trx
      .updateTable('challenge')
      .set({ used_at: now })
      .where('nonce', '=', signed.nonce)
      .where('used_at', 'is', null)
      .returning('nonce')
      .executeTakeFirst(),
  )
  if (spent === undefined) throw new CairnError('CHALLENGE_EXPIRED')
}
