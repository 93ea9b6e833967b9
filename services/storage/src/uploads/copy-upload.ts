import { CairnError } from '@cairn/protocol'
import { idAfter, uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { uploadColumns } from '../db/upload-columns.ts'
import type { RecordedRoot } from './add-files.ts'
import { attemptCleanup } from './attempt-cleanup.ts'
import type { LockFirst } from './keep-pack.ts'
import { openQuotaMeter } from './quota-meter.ts'
import { findPackIds, insertUploads, lockUploads } from './store.ts'

/**
 * Lists an upload of an account again under another name. Reads and writes none of its bytes.
 *
 * @param record records additional rows in the same unit of work
 * @param lock required if `record` locks rows that other units of work lock before the account
 * @throws CairnError NOT_FOUND, QUOTA_EXCEEDED, CONFLICT
 */
export async function copyUpload(
  context: Context,
  address: string,
  sourceId: string,
  { name, mimeType }: { name: string; mimeType: string | undefined },
  record: (trx: Kysely<Schema>, root: RecordedRoot) => Promise<void>,
  lock?: LockFirst,
): Promise<void> {
  const { db, packs, clock } = context
  const now = clock.now()
  let id = uuidv7(now)
  const meter = openQuotaMeter(context, address)
  const select = (from: Kysely<Schema>) =>
    from
      .selectFrom('upload')
      .select(uploadColumns)
      .where('id', '=', sourceId)
      .where('address', '=', address)
      .executeTakeFirst()
  try {
    await meter.take((await select(db.read))?.size_bytes ?? 0)
    await meter.ready()
    await db.write(async (trx) => {
      const { after, deletes } = (await lock?.(trx)) ?? {}
      id = idAfter(after, id)
      await lockUploads(trx, db.kind, deletes)
      // Read before the row: a deletion that commits in between removes both, so a row that is found afterwards still had all of
      // these.
      const dependsOn = await findPackIds(trx, sourceId)
      const source = await select(trx)
      if (source === undefined || source.status === 'deleting') throw new CairnError('NOT_FOUND')
      await packs.lock(trx, { dependsOn }, deletes)
      const { tx_hash: _ofSource, ...row } = source
      const times = { created_at: now, updated_at: now }
      const copied = { name, mime_type: mimeType ?? source.mime_type, upload_link_id: null, ...times }
      await insertUploads(trx, db.kind, address, [{ ...row, id, ...copied }])
      await packs.record(trx, { own: undefined, dependsOn }, id)
      await meter.settle(trx, source.size_bytes)
      await record(trx, { uploadId: id, cid: source.cid, sizeBytes: source.size_bytes })
    })
  } catch (error) {
    await attemptCleanup(context, 'release the reservation', () => meter.release())
    throw error
  }
}
