import type { NetworkProfile } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { loadCode } from '../parts/load-code.ts'
import { toastError } from '../ui/toast-store.ts'
import { sharedCache } from '../upload/shared-cache.ts'

/**
 * Resumes the unfinished work of an earlier page of this account. A toast shows any failure, including one to load the
 * code.
 */
export async function restoreWork(network: NetworkProfile): Promise<void> {
  try {
    const [{ restoreUploads }, { restoreChanges }] = await Promise.all([
      loadCode(import('../upload/restore-uploads.ts')),
      loadCode(import('../key-changes/restore-changes.ts')),
    ])
    await restoreUploads(network)
    await restoreChanges(network)
    // Only a page with a certificate, or of this machine, has caches.
    if ('caches' in globalThis && (await caches.has(sharedCache).catch(isRefused))) {
      const { takeShared } = await loadCode(import('../upload/take-shared.ts'))
      await takeShared()
    }
  } catch (error) {
    toastError(messages.transfers.notRestored, error)
  }
}

/** A browser that blocks the storage of a page has no caches either. */
function isRefused(error: unknown): false {
  if (error instanceof DOMException && error.name === 'SecurityError') return false
  throw error
}
