import { createHash } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { CairnError } from '@cairn/protocol'
import { endsEarly } from '../object-errors.ts'
import { describeReadFailure, describeS3Error, readFailure } from './s3-errors.ts'
import type { S3Settings } from './s3-settings.ts'

/** Time limits in ms. Each covers all tries of one call. */
export type S3Limits = {
  readonly callMs: number
  /** Of a part's upload, and of the call that makes an object of its parts. */
  readonly partMs: number
  /** After so long without a byte a connection is given up, and the call is tried again. */
  readonly idleMs: number
}

export const defaultLimits: S3Limits = { callMs: 60_000, partMs: 300_000, idleMs: 20_000 }

const connectMs = 5000
/** Tries of a call, and of the rest of a body that was cut off. */
const triesMost = 5
const connectionsMost = 256
/** Metadata of an object: which writer wrote it. Shows whether a write whose answer was lost took place. */
const writerField = 'cairn-writer'

/** An object as a HEAD shows it. */
export type S3Object = { readonly sizeBytes: number; readonly writer: string | undefined }
/** A multipart upload that was begun and neither completed nor aborted. */
export type OpenMultipart = { readonly key: string; readonly uploadId: string; readonly startedAt: number }
/** A part that the store has, with its number and the tag that the store gave it. */
export type S3Part = { readonly number: number; readonly tag: string }

/** Every call to S3, with retries, time limits and errors of ours. Keys are without the prefix of the settings. */
export type S3Bucket = {
  /** Writes an object whole. @param options.onlyNew fails when the key is in use */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void>
  head(key: string): Promise<S3Object | undefined>
  /** Fills `target` from `offset` on. @throws CairnError DATA_DAMAGED when the object is gone or ends before that */
  read(key: string, offset: number, target: Uint8Array): Promise<void>
  remove(key: string): Promise<void>
  /** In the order of keys, a thousand per call. */
  list(prefix: string, after?: string): AsyncGenerator<{ key: string; modifiedAt: number }>
  startMultipart(key: string, writer: string): Promise<string>
  putPart(key: string, uploadId: string, number: number, bytes: Uint8Array): Promise<S3Part>
  /** Makes an object of its parts. Fails when the key is in use. */
  complete(key: string, uploadId: string, parts: readonly S3Part[]): Promise<void>
  /** Removes a multipart upload; one that is not there is no error. */
  abortMultipart(key: string, uploadId: string): Promise<void>
  listMultipart(prefix: string): AsyncGenerator<OpenMultipart>
  close(): void
}

type PutOptions = { onlyNew?: boolean; writer?: string }

/** Opens a client. Sends nothing yet. */
export function openS3Bucket(settings: S3Settings, limits: S3Limits): S3Bucket {
  const { bucket: Bucket, prefix, endpoint, credentials, encryption, storageClass } = settings
  const agent = { keepAlive: true, maxSockets: connectionsMost }
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.isPathStyle,
    maxAttempts: triesMost,
    retryMode: 'standard',
    // Content-MD5 is sent with each body; stores other than AWS know no other checksum, or do not check it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs, socketTimeout: limits.idleMs, httpAgent: agent, httpsAgent: agent },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  })
  const objectSettings = {
    ...(encryption === undefined ? {} : { ServerSideEncryption: encryption.algorithm }),
    ...(encryption?.algorithm === 'aws:kms' && encryption.kmsKeyId !== undefined
      ? { SSEKMSKeyId: encryption.kmsKeyId }
      : {}),
  }
  const classOf = (writer: string | undefined) =>
    // Marks live for seconds; the cheaper classes bill a month or 128 KiB at least.
    writer === undefined || storageClass === undefined ? {} : { StorageClass: storageClass }
  const place = (key: string) => ({ Bucket, Key: prefix + key })
  const within = (ms: number) => ({ abortSignal: AbortSignal.timeout(ms) })

  const attempt = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      throw describeS3Error(error, what)
    }
  }

  const getRange = (key: string, from: number, to: number, abortSignal: AbortSignal): Promise<GetObjectCommandOutput> =>
    client.send(new GetObjectCommand({ ...place(key), Range: `bytes=${from}-${to}` }), { abortSignal })

  /** A HEAD that finds nothing has no body that tells a missing key from a missing bucket or a proxy's own page. */
  const confirmMissing = async (key: string): Promise<void> => {
    try {
      const { Body } = await getRange(key, 0, 0, AbortSignal.timeout(limits.callMs))
      if (Body instanceof Readable) Body.destroy()
    } catch (error) {
      if (readFailure(error).code === 'NoSuchKey') return
      throw describeS3Error(error, 'look an object up')
    }
    throw new CairnError('UNAVAILABLE', { message: 'The object store answers a HEAD and a GET differently' })
  }

  return {
    put: (key, bytes, { onlyNew = false, writer } = {}) =>
      attempt('write an object', async () => {
        const command = new PutObjectCommand({
          ...place(key),
          ...objectSettings,
          ...classOf(writer),
          Body: bytes,
          ContentLength: bytes.length,
          ContentMD5: md5(bytes),
          ...(writer === undefined ? {} : { Metadata: { [writerField]: writer } }),
          ...(onlyNew ? { IfNoneMatch: '*' } : {}),
        })
        await client.send(command, within(limits.partMs))
      }),
    async head(key) {
      try {
        const found = await client.send(new HeadObjectCommand(place(key)), within(limits.callMs))
        return { sizeBytes: found.ContentLength ?? 0, writer: found.Metadata?.[writerField] }
      } catch (error) {
        if (readFailure(error).status !== 404) throw describeS3Error(error, 'look an object up')
      }
      await confirmMissing(key)
      return undefined
    },
    async read(key, offset, target) {
      const { abortSignal } = within(limits.callMs)
      let filled = 0
      for (let tries = 1; ; tries++) {
        let answer: GetObjectCommandOutput
        try {
          answer = await getRange(key, offset + filled, offset + target.length - 1, abortSignal)
        } catch (error) {
          throw describeReadFailure(error, key, offset + filled)
        }
        const body = openBody(answer, key, offset + filled, offset + target.length)
        try {
          for await (const chunk of addAbortSignal(abortSignal, body)) filled += take(target, filled, chunk)
        } catch (error) {
          if (tries === triesMost || abortSignal.aborted) throw describeS3Error(error, 'read an object')
        }
        if (filled === target.length) return
        if (tries === triesMost) throw describeS3Error(new Error('the answer ends early'), 'read an object')
        await sleep(25 * 2 ** tries * Math.random())
      }
    },
    remove: (key) =>
      attempt('remove an object', async () => {
        await client.send(new DeleteObjectCommand(place(key)), within(limits.callMs))
      }),
    async *list(listed, after) {
      let token: string | undefined
      do {
        const command = new ListObjectsV2Command({
          Bucket,
          Prefix: prefix + listed,
          ...(token === undefined ? {} : { ContinuationToken: token }),
          ...(after === undefined || token !== undefined ? {} : { StartAfter: prefix + after }),
        })
        const page = await attempt('list objects', () => client.send(command, within(limits.callMs)))
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (Key === undefined || LastModified === undefined) throw incomplete('a list of objects')
          yield { key: Key.slice(prefix.length), modifiedAt: LastModified.getTime() }
        }
        token = page.NextContinuationToken
        if (page.IsTruncated === true && token === undefined) throw incomplete('a list of objects')
      } while (token !== undefined)
    },
    startMultipart: (key, writer) =>
      attempt('start an upload in parts', async () => {
        const command = new CreateMultipartUploadCommand({
          ...place(key),
          ...objectSettings,
          ...classOf(writer),
          Metadata: { [writerField]: writer },
        })
        const { UploadId } = await client.send(command, within(limits.callMs))
        if (UploadId === undefined) throw incomplete('the start of an upload in parts')
        return UploadId
      }),
    putPart: (key, UploadId, number, bytes) =>
      attempt('write a part', async () => {
        const command = new UploadPartCommand({
          ...place(key),
          UploadId,
          PartNumber: number,
          Body: bytes,
          ContentLength: bytes.length,
          ContentMD5: md5(bytes),
        })
        const { ETag } = await client.send(command, within(limits.partMs))
        if (ETag === undefined) throw incomplete('a part')
        return { number, tag: ETag }
      }),
    complete: (key, UploadId, parts) =>
      attempt('complete an upload in parts', async () => {
        const Parts = parts.map(({ number, tag }) => ({ PartNumber: number, ETag: tag }))
        const command = new CompleteMultipartUploadCommand({
          ...place(key),
          UploadId,
          IfNoneMatch: '*',
          MultipartUpload: { Parts },
        })
        await client.send(command, within(limits.partMs))
      }),
    async abortMultipart(key, UploadId) {
      try {
        await client.send(new AbortMultipartUploadCommand({ ...place(key), UploadId }), within(limits.callMs))
      } catch (error) {
        if (readFailure(error).code !== 'NoSuchUpload') throw describeS3Error(error, 'abort an upload in parts')
      }
    },
    async *listMultipart(listed) {
      let marker: { KeyMarker: string; UploadIdMarker: string } | undefined
      do {
        const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix + listed, ...marker })
        const page = await attempt('list uploads in parts', () => client.send(command, within(limits.callMs)))
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (Key === undefined || UploadId === undefined || Initiated === undefined) {
            throw incomplete('a list of uploads in parts')
          }
          yield { key: Key.slice(prefix.length), uploadId: UploadId, startedAt: Initiated.getTime() }
        }
        const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
        marker =
          page.IsTruncated === true && KeyMarker !== undefined && UploadIdMarker !== undefined
            ? { KeyMarker, UploadIdMarker }
            : undefined
      } while (marker !== undefined)
    },
    close: () => client.destroy(),
  }
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('base64')
}

/** The body of an answer to a range, once its head says that it holds what was asked for. */
function openBody({ Body, ContentRange }: GetObjectCommandOutput, key: string, from: number, end: number): Readable {
  if (!(Body instanceof Readable)) throw incomplete('an object')
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(ContentRange ?? '') ?? []
  if (Number(first) === from && Number(last) === end - 1) return Body
  Body.destroy()
  if (Number(first) === from) throw endsEarly(key, Number(last) + 1)
  throw incomplete('a range of an object')
}

/** Copies a chunk to its place. @returns its length */
function take(target: Uint8Array, at: number, chunk: unknown): number {
  if (!(chunk instanceof Uint8Array) || at + chunk.length > target.length) throw incomplete('a range of an object')
  target.set(chunk, at)
  return chunk.length
}

function incomplete(what: string): CairnError {
  return new CairnError('STORAGE_FAILED', {
    cause: new Error(`S3 answers with ${what} that is not what was asked for`),
  })
}
