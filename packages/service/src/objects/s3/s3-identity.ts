import { randomUUID } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import type { S3Bucket, S3Object } from './s3-bucket.ts'
import { describeOpenError, isPreconditionFailed } from './s3-errors.ts'

const key = 'identity'
const text = new TextEncoder().encode('Cairn keeps packs here. See docs/operate/s3.md.\n')

/** Recognises the place that the store was opened on. */
export type S3Identity = {
  /** @throws CairnError UNAVAILABLE when the bucket was emptied or replaced */
  requireSame(): Promise<void>
}

/**
 * Marks the place with an object and verifies that the store refuses to overwrite it: pack ids may collide, and an
 * overwritten pack is lost. Writes nothing else.
 *
 * @param name of the bucket, for errors
 * @throws CairnError INVALID_CONFIGURATION when the bucket cannot be used or overwrites; UNAVAILABLE
 */
export async function identifyS3(bucket: S3Bucket, name: string): Promise<S3Identity> {
  try {
    const { writer } = await findOrCreate(bucket)
    if (writer === undefined) throw unfit('does not store object metadata')
    if (!(await isRefused(() => bucket.put(key, text, { onlyNew: true, writer })))) {
      throw unfit('overwrites an object despite If-None-Match')
    }
    const uploadId = await bucket.startMultipart(key, writer)
    try {
      const part = await bucket.putPart(key, uploadId, 1, text)
      if (!(await isRefused(() => bucket.complete(key, uploadId, [part])))) {
        throw unfit('overwrites an object despite If-None-Match when a multipart upload completes')
      }
    } finally {
      await bucket.abortMultipart(key, uploadId)
    }
    return identityOf(bucket, writer)
  } catch (error) {
    throw describeOpenError(error, name)
  }
}

/**
 * Recognises a place for a process that only reads, whose credentials may allow nothing else. Writes nothing.
 *
 * @param name of the bucket, for errors
 * @throws CairnError INVALID_CONFIGURATION when the bucket cannot be used; UNAVAILABLE
 */
export async function recogniseS3(bucket: S3Bucket, name: string): Promise<S3Identity> {
  try {
    return identityOf(bucket, (await isThere(bucket)) ? (await bucket.head(key))?.writer : undefined)
  } catch (error) {
    throw describeOpenError(error, name)
  }
}

function identityOf(bucket: S3Bucket, writer: string | undefined): S3Identity {
  return {
    async requireSame() {
      if ((await bucket.head(key))?.writer === writer) return
      throw new CairnError('UNAVAILABLE', {
        message: 'The bucket was emptied or replaced while the service was running',
      })
    },
  }
}

/** A list explains a refusal; a HEAD has no body to do so. */
async function isThere(bucket: S3Bucket): Promise<boolean> {
  return (await Array.fromAsync(bucket.list(key))).some((each) => each.key === key)
}

async function findOrCreate(bucket: S3Bucket): Promise<S3Object> {
  if (!(await isThere(bucket))) {
    // Rejected when another replica that starts at the same time wrote it first.
    await isRefused(() => bucket.put(key, text, { onlyNew: true, writer: randomUUID() }))
  }
  const found = await bucket.head(key)
  if (found === undefined) throw unfit('does not return an object that was just written')
  return found
}

async function isRefused(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return false
  } catch (error) {
    if (isPreconditionFailed(error)) return true
    throw error
  }
}

function unfit(why: string): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: `The object store ${why}`,
    hint: 'Packs are not safe in this store. Use a store that supports conditional writes (docs/operate/s3.md).',
  })
}
