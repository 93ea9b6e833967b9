import type { NetworkProfile } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { toastError } from '../ui/toast-store.ts'

/**
 * Resumes the unfinished work of an earlier page of this account. A toast shows any failure, including one to load the
 * code.
 */
export async function restoreWork(network: NetworkProfile): Promise<void> {
  try {
    const [{ restoreUploads }, { restoreChanges }] = await Promise.all([
      import('../upload/restore-uploads.ts'),
      import('../key-changes/restore-changes.ts'),
    ])
    await restoreUploads(network)
    await restoreChanges(network)
  } catch (error) {
    toastError(messages.transfers.notRestored, error)
  }
}
