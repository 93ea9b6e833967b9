import { CairnError, deleteDriveUploads, maxDeletedUploads } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call, pause } from '../request.ts'
import type { DriveLog } from './log/log.ts'
import type { Registers } from './log/registers.ts'
import type { DriveUpload } from './view/nodes.ts'
import type { UploadIndex } from './view/upload-index.ts'
import type { View } from './view/view.ts'

/** The state of an open drive that deletions need. */
export type OpenState = {
  client: Client
  log: DriveLog
  index: UploadIndex
  view(): View
  registers(): Registers
  /** Lists all uploads, and reads the changes of other devices. */
  reload(options: CallOptions): Promise<void>
  /** Reads the changes of other devices. */
  readChanges(options: CallOptions): Promise<void>
  /** Removes uploads from the list. */
  removeUploads(ids: ReadonlySet<string>): void
}

/** Attempts to delete a batch while other devices change the drive, and the maximum pause between them. */
const maxAttempts = 40
const pauseMs = 150

/** Ids of uploads that were deleted so far, and of those that stay because a bucket has them. */
export type Deletions = { deleted: Set<string>; kept: Set<string> }

/**
 * Deletes uploads in batches, each of them only if no other device changed the drive since it was chosen: what another device
 * restored or uploaded meanwhile stays.
 * @param choose returns the uploads to delete as the drive is now; called again after each change of another device
 * @param done receives what was done, also if a later batch fails
 * @throws CairnError CONFLICT, and those of `readChanges`
 */
export async function deleteUploads(
  state: OpenState,
  choose: () => readonly DriveUpload[],
  { deleted, kept }: Deletions,
  options: CallOptions,
): Promise<void> {
  const { client, log } = state
  const limits = { timeoutMs: client.transferTimeoutMs, ...options }
  const findPending = () => choose().flatMap(({ id }) => (deleted.has(id) || kept.has(id) ? [] : [id]))
  let pending = findPending()
  for (let attempt = 1; pending.length > 0; ) {
    const ids = pending.slice(0, maxDeletedUploads)
    try {
      const result = await call(client, deleteDriveUploads, { body: { revision: log.revision, ids } }, limits)
      for (const id of result.kept) kept.add(id)
      for (const id of ids) if (!kept.has(id)) deleted.add(id)
      pending = pending.slice(maxDeletedUploads)
      attempt = 1
    } catch (error) {
      if (!CairnError.is(error, 'PRECONDITION_FAILED')) throw error
      if (attempt === maxAttempts) {
        throw new CairnError('CONFLICT', { message: 'Other devices keep changing the drive' })
      }
      if (attempt > 1) await pause(Math.random() * pauseMs, options.signal)
      attempt++
      await state.readChanges(options)
      pending = findPending()
    }
  }
}
