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
import { traceStep } from '../../traces/span.ts'
import { endsEarly } from '../object-errors.ts'
import type { S3Settings } from '../s3-settings.ts'
import { describeReadFailure, describeS3Error, readFailure } from './s3-errors.ts'

/** Time limits in ms. Each covers all attempts of one call. */
export type S3Limits = {
  readonly callMs: number
  /** Upload of a part, and the call that assembles an object from its parts. */
  readonly partMs: number
  /** Idle time after which a connection is closed and the call is retried. */
  readonly idleMs: number
}

export const defaultLimits: S3Limits = { callMs: 60_000, partMs: 300_000, idleMs: 20_000 }

const connectMs = 5000
/** Maximum number of attempts per call, and for the rest of an interrupted body. */
const maxTries = 5
const maxConnections = 256
/** Metadata field with the id of the writer. Shows whether a write whose answer was lost took effect. */
const writerField = 'cairn-writer'

/** An object as returned by HEAD. */
export type S3Object = { readonly sizeBytes: number; readonly writer: string | undefined }
/** A multipart upload that is neither completed nor aborted. */
export type OpenMultipart = { readonly key: string; readonly uploadId: string; readonly startedAt: number }
/** A stored part: its number, and the tag assigned by the store. */
export type S3Part = { readonly number: number; readonly tag: string }

/** Every call to S3, with retries, time limits and Cairn errors. Keys omit the configured prefix. */
export type S3Bucket = {
  /** Writes an object in one call. @param options.onlyNew fails when the key is in use */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void>
  head(key: string): Promise<S3Object | undefined>
  /** Fills `target` from `offset` on. @throws CairnError DATA_DAMAGED when the object is gone or too short */
  read(key: string, offset: number, target: Uint8Array): Promise<void>
  remove(key: string): Promise<void>
  /** Lists objects in order of their keys, a thousand per call. */
  list(prefix: string, after?: string): AsyncGenerator<{ key: string; modifiedAt: number }>
  startMultipart(key: string, writer: string): Promise<string>
  putPart(key: string, uploadId: string, number: number, bytes: Uint8Array): Promise<S3Part>
  /** Assembles an object from its parts. Fails when the key is in use. */
  complete(key: string, uploadId: string, parts: readonly S3Part[]): Promise<void>
  /** Removes a multipart upload; a missing one is not an error. */
  abortMultipart(key: string, uploadId: string): Promise<void>
  listMultipart(prefix: string): AsyncGenerator<OpenMultipart>
  close(): void
}

type PutOptions = { onlyNew?: boolean; writer?: string }

/** Creates a client without sending a request. */
export function openS3Bucket(settings: S3Settings, limits: S3Limits): S3Bucket {
  const { bucket: Bucket, prefix, endpoint, credentials, encryption, storageClass } = settings
  const agent = { keepAlive: true, maxSockets: maxConnections }
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.isPathStyle,
    maxAttempts: maxTries,
    retryMode: 'standard',
    // Content-MD5 is sent with each body; stores other than AWS do not support or verify other checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs, socketTimeout: limits.idleMs, httpAgent: agent, httpsAgent: agent },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  })
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (input) =>
        traceStep(
          `S3 ${commandName.replace(/Command$/, '')}`,
          { kind: 'client', facts: { 'aws.s3.bucket': Bucket } },
          () => next(input),
        ),
    { step: 'initialize', name: 'cairnTraces' },
  )
  const objectSettings = {
    ...(encryption === undefined ? {} : { ServerSideEncryption: encryption.algorithm }),
    ...(encryption?.algorithm === 'aws:kms' && encryption.kmsKeyId !== undefined
      ? { SSEKMSKeyId: encryption.kmsKeyId }
      : {}),
  }
  const classOf = (writer: string | undefined) =>
    // Marks live for seconds; cheaper classes bill at least a month or 128 KiB.
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

  /** A HEAD without a body cannot distinguish a missing key from a missing bucket or a proxy's own page. */
  const confirmMissing = async (key: string): Promise<void> => {
    try {
      const { Body } = await getRange(key, 0, 0, AbortSignal.timeout(limits.callMs))
      if (Body instanceof Readable) Body.destroy()
    } catch (error) {
      if (readFailure(error).code === 'NoSuchKey') return
      throw describeS3Error(error, 'look up an object')
    }
    throw new CairnError('UNAVAILABLE', { message: 'The object store returned different responses to HEAD and GET' })
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
        if (readFailure(error).status !== 404) throw describeS3Error(error, 'look up an object')
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
          if (tries === maxTries || abortSignal.aborted) throw describeS3Error(error, 'read an object')
        }
        if (filled === target.length) return
        if (tries === maxTries) throw describeS3Error(new Error('the response ended early'), 'read an object')
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
      attempt('start a multipart upload', async () => {
        const command = new CreateMultipartUploadCommand({
          ...place(key),
          ...objectSettings,
          ...classOf(writer),
          Metadata: { [writerField]: writer },
        })
        const { UploadId } = await client.send(command, within(limits.callMs))
        if (UploadId === undefined) throw incomplete('the start of a multipart upload')
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
      attempt('complete a multipart upload', async () => {
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
        if (readFailure(error).code !== 'NoSuchUpload') throw describeS3Error(error, 'abort a multipart upload')
      }
    },
    async *listMultipart(listed) {
      let marker: { KeyMarker: string; UploadIdMarker: string } | undefined
      do {
        const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix + listed, ...marker })
        const page = await attempt('list multipart uploads', () => client.send(command, within(limits.callMs)))
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (Key === undefined || UploadId === undefined || Initiated === undefined) {
            throw incomplete('a list of multipart uploads')
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

/** Returns the body of a range answer, once its header confirms the requested range. */
function openBody({ Body, ContentRange }: GetObjectCommandOutput, key: string, from: number, end: number): Readable {
  if (!(Body instanceof Readable)) throw incomplete('an object')
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(ContentRange ?? '') ?? []
  if (Number(first) === from && Number(last) === end - 1) return Body
  Body.destroy()
  if (Number(first) === from) throw endsEarly(key, Number(last) + 1)
  throw incomplete('a range of an object')
}

/** Copies a chunk into place. @returns its length */
function take(target: Uint8Array, at: number, chunk: unknown): number {
  if (!(chunk instanceof Uint8Array) || at + chunk.length > target.length) throw incomplete('a range of an object')
  target.set(chunk, at)
  return chunk.length
}

function incomplete(what: string): CairnError {
  return new CairnError('STORAGE_FAILED', {
    cause: new Error(`S3 returned ${what} that does not match the request`),
  })
}
