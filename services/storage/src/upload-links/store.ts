import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  CairnError,
  formatUploadLinkToken,
  maxUploadLinkLifetimeMs,
  maxUploadLinksPerAccount,
  parseUploadLinkToken,
} from '@cairn/protocol'
import type { ExpressionBuilder, Kysely } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { endedWithLink, isInProgress } from '../db/is-in-progress.ts'
import type { Schema, UploadLinkTable } from '../db/schema.ts'
import { recordEvents } from '../events/events.ts'

export type UploadLinkRow = UploadLinkTable
/** Uploads in progress, and the bytes that they declared. */
export type OpenUse = { uploads: number; bytes: number }
type Parts = Pick<Context, 'db' | 'clock'>

/** The choices of the owner. */
export type NewUploadLink = {
  label: string
  maxFileBytes: number
  maxTotalBytes: number
  maxUploads: number
  contentTypes: readonly string[]
  expiresAt: number
}

/** How long a link that ended stays in lists. */
const keptMs = 30 * 86_400_000
/** Links of an account, those that ended lately included: it cannot fill the table by revoking. */
const maxRowsPerAccount = 10 * maxUploadLinksPerAccount
const contentTypesSchema = v.array(v.string())

/** Secrets are 32 random bytes: a plain hash of one cannot be guessed. */
const hash = (secret: string): Buffer => createHash('sha256').update(secret).digest()

type End = 'expired' | 'used-up' | 'revoked'

/** Returns whether a link accepts no more uploads, and why. */
export function findEnd(row: UploadLinkRow, now: number): End | undefined {
  if (row.revoked_at !== null) return 'revoked'
  if (row.expires_at <= now) return 'expired'
  return row.uploads >= row.max_uploads || row.uploaded_bytes >= row.max_total_bytes ? 'used-up' : undefined
}

/** The same for a query, without the limit of bytes. */
function isOpen(eb: ExpressionBuilder<Schema, 'upload_link'>, now: number) {
  return eb.and([eb('revoked_at', 'is', null), eb('expires_at', '>', now), eb('uploads', '<', eb.ref('max_uploads'))])
}

const endings = { expired: 'has expired', 'used-up': 'is used up', revoked: 'was revoked' } as const

/** The error of a link that ended. */
export function linkEnded(reason: End): CairnError {
  return new CairnError('GONE', {
    message: `The upload link ${endings[reason]}`,
    hint: 'Ask the person who shared it for a new link.',
    details: { reason },
  })
}

/** Returns the media types that a link accepts; empty for all. */
export function readContentTypes(row: Pick<UploadLinkRow, 'content_types'>): string[] {
  return v.parse(contentTypesSchema, JSON.parse(row.content_types))
}

/**
 * Stores a new link and returns its token, which is known only to its holders from then on.
 * @throws CairnError INVALID_REQUEST (its expiry), FORBIDDEN (too many links)
 */
export async function insertUploadLink(
  { db, clock }: Parts,
  address: string,
  { label, maxFileBytes, maxTotalBytes, maxUploads, contentTypes, expiresAt }: NewUploadLink,
): Promise<{ row: UploadLinkRow; token: string }> {
  const now = clock.now()
  if (expiresAt <= now || expiresAt > now + maxUploadLinkLifetimeMs) {
    const message = 'expiresAt must be in the future, within a year'
    throw new CairnError('INVALID_REQUEST', { message, details: { issues: [{ field: 'expiresAt', message }] } })
  }
  const id = [...randomBytes(16)].map((byte) => (byte % 32).toString(32)).join('')
  const secret = randomBytes(32).toString('base64url')
  const row = await db.write(async (trx) => {
    // Locks the account, so that the limit is exact.
    await recordEvents(trx, address, now, {
      type: 'upload_link.created',
      data: { linkId: id, expiresAt, maxUploads, maxTotalBytes },
    })
    const { all, open } = await trx
      .selectFrom('upload_link')
      .select(({ fn, eb }) => [
        fn.countAll<number>().as('all'),
        fn.countAll<number>().filterWhere(isOpen(eb, now)).as('open'),
      ])
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    if (Number(open) >= maxUploadLinksPerAccount || Number(all) >= maxRowsPerAccount) {
      throw new CairnError('FORBIDDEN', {
        message: `This account has reached its limit of ${maxUploadLinksPerAccount} upload links`,
        hint: 'Revoke some of them.',
      })
    }
    return trx
      .insertInto('upload_link')
      .values({
        id,
        address,
        label,
        secret_hash: hash(secret),
        max_file_bytes: maxFileBytes,
        max_total_bytes: maxTotalBytes,
        max_uploads: maxUploads,
        content_types: JSON.stringify(contentTypes),
        uploads: 0,
        uploaded_bytes: 0,
        created_at: now,
        expires_at: expiresAt,
        last_used_at: null,
        revoked_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { row, token: formatUploadLinkToken({ id, secret }) }
}

/**
 * Returns the links of an account with their uploads in progress, newest first: all that are open, so that each can be revoked, and
 * the newest of those that ended.
 */
export async function findUploadLinks(
  { db, clock }: Parts,
  address: string,
): Promise<{ row: UploadLinkRow; open: OpenUse }[]> {
  const now = clock.now()
  const newest = (wantsOpen: boolean, maxRows: number) =>
    db.read
      .selectFrom('upload_link')
      .selectAll()
      .where('address', '=', address)
      .where((eb) => (wantsOpen ? isOpen(eb, now) : eb.not(isOpen(eb, now))))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(maxRows)
      .execute()
  const stillOpen = await newest(true, maxUploadLinksPerAccount)
  const ended = await newest(false, maxUploadLinksPerAccount - stillOpen.length)
  // One that ended between the two is in both.
  const found = new Map([...stillOpen, ...ended].map((row) => [row.id, row]))
  const rows = [...found.values()].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
  const uses = await db.read
    .selectFrom('resumable_upload')
    .select(({ fn }) => [
      'upload_link_id',
      fn.countAll<number>().as('uploads'),
      fn.sum<number>('length_bytes').as('bytes'),
    ])
    .where('address', '=', address)
    .where('upload_link_id', 'is not', null)
    .where(isInProgress)
    .groupBy('upload_link_id')
    .execute()
  const byId = new Map(
    uses.map(({ upload_link_id: id, uploads, bytes }) => [id, { uploads: Number(uploads), bytes: Number(bytes) }]),
  )
  return rows.map((row) => ({ row, open: byId.get(row.id) ?? { uploads: 0, bytes: 0 } }))
}

/** Returns the uploads of a link in progress. */
export async function readOpenUse(db: Kysely<Schema>, id: string): Promise<OpenUse> {
  const { uploads, bytes } = await db
    .selectFrom('resumable_upload')
    .select(({ fn }) => [fn.countAll<number>().as('uploads'), fn.sum<number | null>('length_bytes').as('bytes')])
    .where('upload_link_id', '=', id)
    .where(isInProgress)
    .executeTakeFirstOrThrow()
  return { uploads: Number(uploads), bytes: Number(bytes ?? 0) }
}

/** Returns the link of a token, in any state, with the block of its account. */
export async function findUploadLink(
  db: Kysely<Schema>,
  token: string,
): Promise<(UploadLinkRow & { blocked_at: number | null }) | undefined> {
  const { id, secret } = parseUploadLinkToken(token) ?? {}
  if (id === undefined || secret === undefined) return undefined
  const row = await db
    .selectFrom('upload_link')
    .innerJoin('account', 'account.address', 'upload_link.address')
    .selectAll('upload_link')
    .select('account.blocked_at')
    .where('upload_link.id', '=', id)
    .executeTakeFirst()
  return row !== undefined && timingSafeEqual(hash(secret), row.secret_hash) ? row : undefined
}

/**
 * Returns a link that accepts uploads, and its uploads in progress.
 * @throws CairnError NOT_FOUND, ACCOUNT_BLOCKED, GONE
 */
export async function inspectUploadLink(
  { db, clock }: Parts,
  token: string,
): Promise<{ row: UploadLinkRow; open: OpenUse }> {
  const row = await findUploadLink(db.read, token)
  if (row === undefined) {
    throw new CairnError('NOT_FOUND', {
      message: 'There is no such upload link',
      hint: 'Copy the whole link, with the part after #.',
    })
  }
  if (row.blocked_at !== null) throw new CairnError('ACCOUNT_BLOCKED')
  const end = findEnd(row, clock.now())
  if (end !== undefined) throw linkEnded(end)
  return { row, open: await readOpenUse(db.read, row.id) }
}

/**
 * Revokes a link and ends its uploads in progress: nothing is stored through it afterwards. A revoked link stays revoked.
 * @throws CairnError NOT_FOUND
 */
export async function revokeUploadLink({ db, clock }: Parts, address: string, id: string): Promise<UploadLinkRow> {
  const now = clock.now()
  return db.write(async (trx) => {
    const known = await trx
      .selectFrom('upload_link')
      .selectAll()
      .where('id', '=', id)
      .where('address', '=', address)
      .executeTakeFirst()
    if (known === undefined) throw new CairnError('NOT_FOUND')
    if (known.revoked_at !== null) return known
    // The account first: storing an upload locks the rows in the same order.
    await recordEvents(trx, address, now, { type: 'upload_link.revoked', data: { linkId: id } })
    const row = await trx
      .updateTable('upload_link')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    // Without its writer an upload receives and stores nothing more; the worker of resumable uploads removes it.
    await trx
      .updateTable('resumable_upload')
      .set({ expires_at: endedWithLink, writer: null, writer_until: null })
      .where('upload_link_id', '=', id)
      .where(isInProgress)
      .execute()
    return row
  })
}

/** Deletes the rows of links that ended long ago. */
export async function clearUploadLinks({ db, clock }: Parts): Promise<void> {
  const before = clock.now() - keptMs
  await db.write((trx) =>
    trx
      .deleteFrom('upload_link')
      .where((eb) => {
        const isOld = (column: 'revoked_at' | 'expires_at' | 'last_used_at') => eb(column, '<=', before)
        const isUsedUp = eb.or([
          eb('uploads', '>=', eb.ref('max_uploads')),
          eb('uploaded_bytes', '>=', eb.ref('max_total_bytes')),
        ])
        return eb.or([isOld('revoked_at'), isOld('expires_at'), eb.and([isUsedUp, isOld('last_used_at')])])
      })
      .execute(),
  )
}
