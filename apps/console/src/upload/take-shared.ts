import type { PathFile } from '../transfers/path-file.ts'
import { sharedCache } from './shared-cache.ts'
import { openUploadSheet } from './upload-sheet-store.ts'

/** Opens the upload sheet with the files that another app shared with the installed console. */
export async function takeShared(): Promise<void> {
  const cache = await caches.open(sharedCache)
  const files: PathFile[] = []
  for (const request of await cache.keys()) {
    const response = await cache.match(request)
    if (response === undefined) continue
    const path = decodeURIComponent(response.headers.get('x-name') ?? '')
    const type = response.headers.get('content-type') ?? ''
    files.push({ path, file: new File([await response.blob()], path, { type }) })
  }
  // Another tab may have taken them.
  if ((await caches.delete(sharedCache)) && files.length > 0) openUploadSheet(files)
}
