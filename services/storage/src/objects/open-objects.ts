import type { ObjectStore } from '@cairn/service/objects'
import { openFileStore } from '@cairn/service/objects'
import type { StorageConfig } from '../config.ts'

/** Options of a store: its replica id, and whether a lock excludes other processes. */
type OpenOptions = { replica?: string; isAlone: boolean }

/**
 * Opens the configured store.
 * @throws CairnError INVALID_CONFIGURATION, UNAVAILABLE, STORAGE_FAILED
 */
export async function openObjects(
  { packFolder, s3 }: Pick<StorageConfig, 'packFolder' | 's3'>,
  options: OpenOptions,
): Promise<ObjectStore> {
  if (s3 === undefined) return openFileStore(packFolder, options)
  // The S3 client is large, so only services that store packs on S3 load it.
  const { openS3Store } = await import('@cairn/service/s3-store')
  return openS3Store(s3, options.replica === undefined ? {} : { replica: options.replica })
}
