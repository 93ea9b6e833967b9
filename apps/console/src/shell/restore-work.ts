import type { NetworkProfile } from '@cairn/sdk'
import { ignoreBlocked } from '../browser/ignore-blocked.ts'
import { restoreChanges } from '../key-changes/restore-changes.ts'
import { restoreUploads } from '../upload/restore-uploads.ts'
import { sharedCache } from '../upload/shared-cache.ts'
import { takeShared } from '../upload/take-shared.ts'

/** Resumes the unfinished work of an earlier page of this account. */
export async function restoreWork(network: NetworkProfile): Promise<void> {
  await restoreUploads(network)
  await restoreChanges(network)
  // Browsers provide caches only to pages with HTTPS or of this machine.
  if ('caches' in globalThis && (await caches.has(sharedCache).catch(ignoreBlocked))) await takeShared()
}
