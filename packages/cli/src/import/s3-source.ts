import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { CairnError, isAnyCid, uploadStream } from '@cairn/sdk'
import { renameUpload } from '../uploads/rename-upload.ts'
import { createOrderedRunner, type OrderedRunner } from '../uploads/run-in-order.ts'
import type { ImportItem, ImportSource, TransferContext, Transferred } from './import-source.ts'
import { findOwn } from './own-content.ts'
import { retryTransfer } from './retry.ts'

export type S3Location = {
  bucket: string
  prefix: string
  /** Defaults to AWS. */
  endpoint: string | undefined
  /** Defaults to that of the environment or the AWS configuration. */
  region: string | undefined
}

/** Media types that S3 clients send for unknown content. */
const unknownTypes: readonly string[] = ['application/octet-stream', 'binary/octet-stream']

/** Parses `s3://bucket/prefix`; undefined for other texts. @throws CairnError USAGE without a bucket */
export function parseS3Url(text: string): Pick<S3Location, 'bucket' | 'prefix'> | undefined {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]*)(?:\/(.*))?$/.exec(text) ?? []
  if (bucket === undefined) return undefined
  if (bucket === '') throw new CairnError('USAGE', { message: `${text} has no bucket`, hint: 'Example: s3://pictures' })
  return { bucket, prefix }
}

/**
 * The objects of an S3 bucket, streamed one by one. The key of an object is the name of its file. If the metadata `cid`
 * of an object states its CID, as Cairn's S3 API does, the CID here is compared with it.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export async function createS3Source(location: S3Location): Promise<ImportSource> {
  const { bucket, prefix, endpoint, region } = location
  const { S3Client, paginateListObjectsV2, GetObjectCommand } = await loadClient()
  const s3 = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    // AWS names buckets by host; other services support paths everywhere.
    forcePathStyle: endpoint !== undefined,
  })
  const runInOrder = createOrderedRunner<void>()
  return {
    id: `s3 ${endpoint ?? ''} ${bucket}/${prefix}`,
    async *items(signal) {
      try {
        const pages = paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: prefix }, { abortSignal: signal })
        for await (const { Contents = [] } of pages) {
          for (const { Key: key = '', ETag: etag = '', Size: sizeBytes } of Contents) {
            // Tools that show folders store an empty object for each.
            if (key.endsWith('/') && sizeBytes === 0) continue
            yield toItem(key, etag, sizeBytes)
          }
        }
      } catch (error) {
        throw describeS3Error(error, `s3://${bucket}`)
      }
    },
    measure: async ({ sizeBytes }) => sizeBytes,
    transfer: (item, { client, signal, onBytes }) => {
      // One for all attempts: what an attempt stored whose response was lost is found again.
      const idempotencyKey = randomUUID()
      return retryTransfer(signal, async () => {
        const key = item.name ?? ''
        const object = await s3
          .send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal })
          .catch((error: unknown) => {
            throw describeS3Error(error, key)
          })
        return storeObject({ client, signal, runInOrder, onBytes, idempotencyKey }, key, object)
      })
    },
  }
}

function toItem(key: string, etag: string, sizeBytes: number | undefined): ImportItem {
  const id = JSON.stringify([key, etag])
  return { id, cid: undefined, name: key, mimeType: undefined, isEncrypted: false, sizeBytes }
}

/** Uploads one object, unless the account has its CID. Aborts the upload if the bytes do not match the ETag. */
async function storeObject(
  context: TransferContext & { runInOrder: OrderedRunner<void>; idempotencyKey: string },
  key: string,
  object: GetObjectCommandOutput,
): Promise<Transferred> {
  const { client, signal, runInOrder, onBytes, idempotencyKey } = context
  const stated = object.Metadata?.['cid']
  const body = object.Body
  if (!(body instanceof Readable)) throw new CairnError('UNEXPECTED_RESPONSE')
  if (stated !== undefined && isAnyCid(stated) && (await findOwn(client, stated, key, signal)) === 'named') {
    body.destroy()
    return { cid: stated, bytes: 0, isPresent: true }
  }
  const name = key.split('/').at(-1) ?? key
  const { ContentType: mimeType = '' } = object
  let failure: unknown
  const checked = checkBody(body, object, onBytes, (error) => {
    failure = describeS3Error(error, key)
  })
  const { cid, sizeBytes } = await uploadStream(client, checked, {
    name,
    // Stores state the CID in the version that they computed.
    cidVersion: stated?.startsWith('Qm') === true ? 0 : 1,
    ...(mimeType === '' || unknownTypes.includes(mimeType) ? {} : { mimeType }),
    idempotencyKey,
    signal,
  }).catch((error: unknown) => {
    throw failure ?? error
  })
  // Objects with the same content and last segment find each other's uploads.
  if (name !== key) await runInOrder([cid], () => renameUpload(client, { cid, storedName: name, name: key }, signal))
  const problem =
    stated === undefined || !isAnyCid(stated) || stated === cid
      ? undefined
      : new CairnError('CID_MISMATCH', {
          message: `Stored as ${cid}, but the bucket states ${stated}. To store that CID too, use import cids`,
          details: { computed: cid, answered: [stated] },
        })
  return { cid, bytes: sizeBytes, isPresent: false, ...(problem === undefined ? {} : { problem }) }
}

/** Yields the bytes of an object. Fails at the end unless they have the stated length and, if the ETag is one, MD5. */
async function* checkBody(
  body: AsyncIterable<Uint8Array>,
  { ContentLength: length, ETag: etag = '', ServerSideEncryption: encryption }: GetObjectCommandOutput,
  onBytes: (bytes: number) => void,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const md5 = createHash('md5')
  let sizeBytes = 0
  try {
    for await (const piece of body) {
      md5.update(piece)
      sizeBytes += piece.length
      onBytes(piece.length)
      yield piece
    }
    const expected = etag.replaceAll('"', '')
    // The ETag of an object in parts, or encrypted with a key of KMS, is no MD5.
    const isMd5 = /^[0-9a-f]{32}$/.test(expected) && (encryption === undefined || encryption === 'AES256')
    if ((length !== undefined && sizeBytes !== length) || (isMd5 && md5.digest('hex') !== expected))
      throw new CairnError('DOWNLOAD_INCOMPLETE', { message: 'The object does not match its length or ETag' })
  } catch (error) {
    onFailure(error)
    throw error
  }
}

async function loadClient() {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (cause) {
    throw new CairnError('USAGE', {
      message: 'Importing from S3 requires the package @aws-sdk/client-s3',
      hint: 'Install it beside the command line: npm install @aws-sdk/client-s3',
      cause,
    })
  }
}

/** Maps errors of the S3 client, which have the code of S3 as their name. */
function describeS3Error(error: unknown, what: string): CairnError {
  if (CairnError.is(error)) return error
  if (!(error instanceof Error)) return CairnError.from(error)
  const message = `${what}: ${error.name}: ${error.message}`
  if (error.name === 'AbortError') return new CairnError('ABORTED')
  if (error.message === 'Region is missing')
    return new CairnError('USAGE', {
      message: 'This import requires the region of the bucket',
      hint: 'Set AWS_REGION, or use --region. Services other than AWS accept us-east-1, and require --endpoint.',
    })
  if (error.name === 'NoSuchKey' || error.name === 'NoSuchBucket')
    return new CairnError('NOT_FOUND', { message, cause: error })
  const status = '$metadata' in error ? readStatus(error.$metadata) : undefined
  if (status === 401 || status === 403 || error.name === 'CredentialsProviderError')
    return new CairnError('UNAUTHENTICATED', { message, hint: 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.' })
  return new CairnError('UPSTREAM_FAILED', { message, cause: error })
}

function readStatus(metadata: unknown): number | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined
}
