export { allocateAligned, regionFor, regionSlackBytes } from './aligned-bytes.ts'
export { type AlignedPool, createAlignedPool } from './aligned-pool.ts'
export { type DirectFile, directFromBytes, openDirectFile } from './direct-file.ts'
export { syncFolder } from './durable-folders.ts'
export { describeBusyError, describeWriteError, errnoOf } from './file-errors.ts'
export { openFileStore } from './files.ts'
export { type CacheResult, type ObjectCache, openObjectCache } from './object-cache.ts'
export type { ObjectStore, ObjectWriter } from './objects.ts'
export { listOwners, ownerPrefix, writeOwner } from './owner.ts'
export {
  type S3Encryption,
  type S3Settings,
  type S3StorageClass,
  s3Region,
  s3StorageClasses,
  s3Url,
} from './s3-settings.ts'
