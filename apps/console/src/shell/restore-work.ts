import type { NetworkProfile } from '@cairn/sdk'
import { toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'

/** Takes up what an earlier page of this account left unfinished. What fails, loading the code included, is said in a toast. */
export async function restoreWork(network: NetworkProfile): Promise<void> {
  try {
    const [{ restoreUploads }, { restoreChanges }] = await Promise.all([
      import('../upload/restore-uploads.ts'),
      import('../access/restore-changes.ts'),
    ])
    await restoreUploads(network)
    await restoreChanges(network)
  } catch (error) {
    toastError(words.transfers.notRestored, error)
  }
}
