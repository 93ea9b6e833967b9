import type { Marks } from '../marks.ts'
import type { S3Bucket } from './s3-bucket.ts'

/** Stores marks as small objects whose keys start with `prefix`. */
export function openS3Marks(bucket: S3Bucket, prefix: string): Marks {
  return {
    put: (name, text) => bucket.put(prefix + name, new TextEncoder().encode(text)),
    remove: (name) => bucket.remove(prefix + name),
    list: () =>
      Array.fromAsync(bucket.list(prefix), ({ key, modifiedAt }) => ({
        name: key.slice(prefix.length),
        modifiedAt: () => Promise.resolve(modifiedAt),
      })),
  }
}
