import type { NetworkProfile } from '@cairn/sdk'
import { restoreChanges } from '../access/restore-changes.ts'
import { toastError } from '../ui/toast-store.ts'
import { restoreUploads } from '../upload/restore-uploads.ts'
import { words } from '../words/words.ts'

/** Takes up what an earlier page of this account left unfinished. */
export async function restoreWork(network: NetworkProfile): Promise<void> {
  try {
    await restoreUploads(network)
    await restoreChanges(network)
  } catch (error) {
    toastError(words.transfers.notRestored, error)
  }
}
