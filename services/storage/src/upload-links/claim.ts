import { acceptsContentType, CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { recordEvents } from '../events/events.ts'
import { findEnd, linkEnded, readContentTypes, readOpenUse } from './store.ts'

/** A file that a sender declares. */
export type DeclaredFile = {
  lengthBytes: number
  /** As declared by the sender; undefined if unknown. */
  contentType: string | undefined
}

/**
 * Checks that a link accepts a file. Uploads in progress count towards its limits, so that they are exact in a unit of work
 * that has locked the account; when such an upload is cancelled or expires, its place is free again.
 * @param maxOpen most uploads of the link in progress
 * @throws CairnError GONE, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UPLOAD_LIMIT
 */
export async function claimUpload(
  db: Kysely<Schema>,
  id: string,
  { lengthBytes, contentType }: DeclaredFile,
  { now, maxOpen }: { now: number; maxOpen: number },
): Promise<void> {
  const link = await db.selectFrom('upload_link').selectAll().where('id', '=', id).executeTakeFirst()
  if (link === undefined) throw linkEnded('revoked')
  const end = findEnd(link, now)
  if (end !== undefined) throw linkEnded(end)
  const accepted = readContentTypes(link)
  if (contentType === undefined ? accepted.length > 0 : !acceptsContentType(accepted, contentType)) {
    throw new CairnError('UNSUPPORTED_MEDIA_TYPE', {
      message: `This link does not accept ${contentType ?? 'files without a media type'}`,
      hint: `It accepts ${accepted.join(', ')}. If the file has one of these types, declare it: cairn upload --mime, or filetype in Upload-Metadata.`,
    })
  }
  if (lengthBytes > link.max_file_bytes) throw tooLarge('larger than this link accepts', link.max_file_bytes)
  const { uploads: openUploads, bytes: openBytes } = await readOpenUse(db, id)
  const leftBytes = link.max_total_bytes - link.uploaded_bytes - openBytes
  if (lengthBytes > leftBytes) throw tooLarge('larger than this link still accepts', Math.max(0, leftBytes))
  const limit = Math.min(maxOpen, link.max_uploads - link.uploads)
  if (openUploads >= limit) {
    throw new CairnError('UPLOAD_LIMIT', {
      message: 'The uploads in progress use up the limit of this link',
      hint: 'Try again when they have ended.',
      details: { limit },
    })
  }
}

/** Counts a stored file, in the unit of work that stores it. */
export async function countStored(
  trx: Kysely<Schema>,
  id: string,
  { cid, sizeBytes }: { cid: string; sizeBytes: number },
  now: number,
): Promise<void> {
  const link = await trx
    .updateTable('upload_link')
    .set(({ eb }) => ({
      uploads: eb('uploads', '+', 1),
      uploaded_bytes: eb('uploaded_bytes', '+', sizeBytes),
      last_used_at: now,
    }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(['address', 'uploads'])
    .executeTakeFirst()
  if (link === undefined) throw linkEnded('revoked')
  await recordEvents(trx, link.address, now, {
    type: 'upload_link.used',
    data: { linkId: id, cid, sizeBytes, uploads: link.uploads },
  })
}

function tooLarge(what: string, limitBytes: number): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: `The file is ${what}`,
    hint: 'Send a smaller file, or ask the person who shared the link.',
    details: { limitBytes },
  })
}
