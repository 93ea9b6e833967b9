import { createHash, timingSafeEqual } from 'node:crypto'
import { CairnError, maxLinkFailures, maxLinkLifetimeMs, maxLinksPerAccount } from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import type { Context } from '../context.ts'
import type { LinkTable } from '../db/schema.ts'
import { recordEvents } from '../events/events.ts'

export type LinkRow = LinkTable
type Parts = Pick<Context, 'db' | 'clock'>

/** The choices of the owner's client. */
export type NewLink = {
  id: string
  cid: string
  label: string
  sealed: string
  token: string
  passwordToken?: string | undefined
  expiresAt: number
  maxOpens: number
}

/** The proof that a visitor sends. */
export type LinkProof = { token: string; passwordToken?: string | undefined }

/** How long a link that ended stays in lists. */
const keptMs = 30 * 86_400_000
/** Links of an account, those that ended lately included: it cannot fill the table by revoking. */
const maxRowsPerAccount = 10 * maxLinksPerAccount

/** Tokens are 32 random bytes: a plain hash of one cannot be guessed. */
const hash = (token: string): Buffer => createHash('sha256').update(token).digest()
const isToken = (token: string, expected: Uint8Array): boolean => timingSafeEqual(hash(token), expected)

/** Returns whether a link opens no more, and why. */
export function findEnd(row: LinkRow, now: number): 'expired' | 'used-up' | 'revoked' | undefined {
  if (row.revoked_at !== null) return 'revoked'
  if (row.expires_at <= now) return 'expired'
  return row.opens >= row.max_opens || row.failures >= maxLinkFailures ? 'used-up' : undefined
}

/**
 * Stores a link.
 * @throws CairnError INVALID_REQUEST (its expiry), FORBIDDEN (too many links), CONFLICT (its id exists)
 */
export async function insertLink(
  { db, clock }: Parts,
  address: string,
  { id, cid, label, sealed, token, passwordToken, expiresAt, maxOpens }: NewLink,
): Promise<LinkRow> {
  const now = clock.now()
  if (expiresAt <= now || expiresAt > now + maxLinkLifetimeMs) {
    const message = 'expiresAt must be in the future, within a year'
    throw new CairnError('INVALID_REQUEST', { message, details: { issues: [{ field: 'expiresAt', message }] } })
  }
  const insert = () =>
    db.write(async (trx) => {
      // Locks the account, so that the limit is exact.
      await recordEvents(trx, address, now, {
        type: 'link.created',
        data: { linkId: id, cid, expiresAt, maxOpens },
      })
      const { all, open } = await trx
        .selectFrom('link')
        .select(({ fn }) => [fn.countAll<number>().as('all'), fn.count<number>('sealed').as('open')])
        .where('address', '=', address)
        .executeTakeFirstOrThrow()
      if (Number(open) >= maxLinksPerAccount || Number(all) >= maxRowsPerAccount) {
        throw new CairnError('FORBIDDEN', {
          message: `This account has reached its limit of ${maxLinksPerAccount} links`,
          hint: 'Revoke some of them.',
        })
      }
      return trx
        .insertInto('link')
        .values({
          id,
          address,
          cid,
          label,
          sealed,
          token_hash: hash(token),
          password_hash: passwordToken === undefined ? null : hash(passwordToken),
          max_opens: maxOpens,
          opens: 0,
          failures: 0,
          created_at: now,
          expires_at: expiresAt,
          last_opened_at: null,
          revoked_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
  try {
    return await insert()
  } catch (error) {
    if (isUniqueViolation(error)) throw new CairnError('CONFLICT', { message: 'A link has this id', cause: error })
    throw error
  }
}

/**
 * Returns the links of an account, newest first: all that are open, so that each can be revoked, and the newest of those
 * that ended.
 */
export async function findLinks({ db }: Pick<Context, 'db'>, address: string): Promise<LinkRow[]> {
  const newest = (isOpen: boolean, maxRows: number) =>
    db.read
      .selectFrom('link')
      .selectAll()
      .where('address', '=', address)
      .where('sealed', isOpen ? 'is not' : 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(maxRows)
      .execute()
  const open = await newest(true, maxLinksPerAccount)
  const ended = open.length < maxLinksPerAccount ? await newest(false, maxLinksPerAccount - open.length) : []
  // One that ended between the two is in both.
  const rows = new Map([...open, ...ended].map((row) => [row.id, row]))
  return [...rows.values()].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
}

/** Revokes a link and deletes its sealed key; a link that is revoked stays so. @throws CairnError NOT_FOUND */
export async function revokeLink({ db, clock }: Parts, address: string, id: string): Promise<LinkRow> {
  const now = clock.now()
  return db.write(async (trx) => {
    const owned = trx.updateTable('link').where('id', '=', id).where('address', '=', address)
    const revoked = await owned
      .set({ revoked_at: now, sealed: null })
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (revoked !== undefined) {
      await recordEvents(trx, address, now, { type: 'link.revoked', data: { linkId: id, cid: revoked.cid } })
      return revoked
    }
    const row = await owned.set({ sealed: null }).returningAll().executeTakeFirst()
    if (row === undefined) throw new CairnError('NOT_FOUND')
    return row
  })
}

/**
 * Returns a link that a visitor may open, without counting.
 * @throws CairnError NOT_FOUND, ACCESS_DENIED (another token), ACCOUNT_BLOCKED, GONE
 */
export async function inspectLink({ db, clock }: Parts, id: string, { token }: LinkProof): Promise<LinkRow> {
  const row = await db.read
    .selectFrom('link')
    .innerJoin('account', 'account.address', 'link.address')
    .selectAll('link')
    .select('account.blocked_at')
    .where('link.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('NOT_FOUND', { message: 'There is no such link' })
  if (!isToken(token, row.token_hash)) {
    throw new CairnError('ACCESS_DENIED', {
      message: 'The link is incomplete',
      hint: 'Copy the whole link, with the part after #.',
    })
  }
  if (row.blocked_at !== null) throw new CairnError('ACCOUNT_BLOCKED')
  const { blocked_at: _blocked, ...link } = row
  requireOpen(link, clock.now())
  return link
}

/**
 * Counts one open of a link. The row is locked first, so counts of opens and of wrong passwords are exact under any
 * concurrency; the last open deletes the sealed key.
 * @returns the row after it, and the sealed key
 * @throws CairnError those of {@link inspectLink}; ACCESS_DENIED also for a wrong password
 */
export async function openLink(
  { db, clock }: Parts,
  id: string,
  proof: LinkProof,
): Promise<{ row: LinkRow; sealed: string }> {
  const { password_hash: passwordHash } = await inspectLink({ db, clock }, id, proof)
  const { passwordToken } = proof
  // A visitor who does not know that there is a password has not guessed one.
  if (passwordHash !== null && passwordToken === undefined) throw wrongPassword('This link needs a password')
  const isRight = passwordHash === null || (passwordToken !== undefined && isToken(passwordToken, passwordHash))
  const now = clock.now()
  const opened = await db.write(async (trx) => {
    const update = () => trx.updateTable('link').where('id', '=', id)
    const locked = await update()
      .set(({ eb }) => ({ opens: eb('opens', '+', 0) }))
      .returningAll()
      .executeTakeFirst()
    if (locked === undefined) throw new CairnError('NOT_FOUND')
    const { sealed } = requireOpen(locked, now)
    if (!isRight) {
      const failures = locked.failures + 1
      await update()
        .set({ failures, ...(failures >= maxLinkFailures ? { sealed: null } : {}) })
        .execute()
      return undefined
    }
    const opens = locked.opens + 1
    const row = await update()
      .set({ opens, last_opened_at: now, ...(opens >= locked.max_opens ? { sealed: null } : {}) })
      .returningAll()
      .executeTakeFirstOrThrow()
    const { address, cid } = row
    await recordEvents(trx, address, now, { type: 'link.opened', data: { linkId: id, cid, opens } })
    return { row, sealed }
  })
  if (opened === undefined) throw wrongPassword('The password is wrong')
  return opened
}

/** Deletes the sealed keys of expired links, and the rows of links that ended long ago. */
export async function clearLinks({ db, clock }: Parts): Promise<void> {
  const now = clock.now()
  await db.write(async (trx) => {
    await trx
      .updateTable('link')
      .set({ sealed: null })
      .where('expires_at', '<=', now)
      .where('sealed', 'is not', null)
      .execute()
    await trx
      .deleteFrom('link')
      .where((eb) => {
        const isOld = (column: 'revoked_at' | 'expires_at' | 'last_opened_at') => eb(column, '<=', now - keptMs)
        const isUsedUp = eb('opens', '>=', eb.ref('max_opens'))
        return eb.or([isOld('revoked_at'), isOld('expires_at'), eb.and([isUsedUp, isOld('last_opened_at')])])
      })
      .execute()
  })
}

const endings = { expired: 'has expired', 'used-up': 'is used up', revoked: 'was revoked' } as const

function requireOpen(row: LinkRow, now: number): { sealed: string } {
  const end = findEnd(row, now)
  if (end === undefined && row.sealed !== null) return { sealed: row.sealed }
  // The worker deletes the key of an expired link, possibly by another clock.
  const reason = end ?? 'expired'
  throw new CairnError('GONE', {
    message: `The link ${endings[reason]}`,
    hint: 'Ask the person who shared it for a new link.',
    details: { reason },
  })
}

function wrongPassword(message: string): CairnError {
  return new CairnError('ACCESS_DENIED', {
    message,
    hint: `Ask the person who shared the link. It stops working after ${maxLinkFailures} wrong passwords.`,
  })
}
