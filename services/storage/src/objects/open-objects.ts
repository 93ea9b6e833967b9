import { type ObjectCache, type ObjectStore, openFileStore, openObjectCache } from '@cairn/service/objects'
import type { StorageConfig } from '../config.ts'
import type { StorageMetrics } from '../metrics.ts'

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
  if (s3 === undefined) return openFileStore(packFolder, { ...options, keepsHeadroom: true })
  // The S3 client is large, so only services that store packs on S3 load it.
  const { openS3Store } = await import('@cairn/service/s3-store')
  return openS3Store(s3, options.replica === undefined ? {} : { replica: options.replica })
}

/**
 * Opens the configured cache of packs; undefined when there is none.
 * @throws CairnError STORAGE_FAILED, STORAGE_FULL
 */
export async function openCache(
  { objectCache }: Pick<StorageConfig, 'objectCache'>,
  objects: ObjectStore,
  { cachePieces, cacheBytes }: Pick<StorageMetrics, 'cachePieces' | 'cacheBytes'>,
): Promise<ObjectCache | undefined> {
  if (objectCache === undefined) return undefined
  const cache = await openObjectCache({
    ...objectCache,
    objects,
    onResult: (result) => {
      cachePieces.inc({ result })
      cacheBytes.set(cache.usedBytes)
    },
  })
  return cache
}
