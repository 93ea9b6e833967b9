import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { encodePieceCid, type PayloadRange } from '@cairn/pieces'
import { CairnError, MIB } from '@cairn/protocol'
import { createAlignedPool, describeWriteError } from '@cairn/service/objects'
import type { Context } from '../context.ts'
import { decodeContent } from './content-ranges.ts'
import { fetchPayload } from './fetch-payload.ts'
import { gatheredBytes, gatherPieces } from './gather-pieces.ts'
import type { HashedPiece, ThreadHasher } from './hash-thread-client.ts'
import { openPartWriter, type PartFile } from './part-writer.ts'
import { openAuthorization } from './seal-authorization.ts'
import { requireSource } from './sources.ts'
import type { PieceRow } from './store.ts'

/** Options of one attempt; it continues from existing bytes until complete or aborted. */
export type PullOptions = { signal: AbortSignal; windowMs: number; onProgress(receivedBytes: number): void }

const readBytes = MIB
/** Bytes that may wait for the disk. A file system with a journal writes those of all files before it confirms a sync of one. */
const syncEveryBytes = 64 * MIB
/** Buffers of one pull: while one is filled or written, others are hashed. */
const maxSpareBytes = 4 * gatheredBytes

/**
 * Makes one attempt to fetch a piece. Bytes of an earlier attempt, including one of a killed process, are hashed
 * again and continued; if the payload turns out wrong after that, it is fetched once more from its first byte,
 * because the part may have been bad. When it resolves, payload and tree are durable and in place.
 *
 * @throws CairnError VERIFICATION_FAILED when the bytes do not match the piece, those of `fetchPayload`,
 * STORAGE_FULL, OVERLOADED, STORAGE_FAILED, SOURCE_NOT_ALLOWED
 */
export async function pullPiece(context: Context, row: PieceRow, options: PullOptions): Promise<void> {
  const { cid, payload_bytes: payloadBytes } = row
  const { files } = context
  await files.moveBackToPart(cid)
  const path = files.partPath(cid)
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600).catch(reportWrite)
  const part = { path, file }
  try {
    const { size } = await file.stat()
    const offset = size > payloadBytes ? 0 : size
    if (offset !== size) await file.truncate(0)
    let hashed = await fill(context, row, part, offset, options)
    if (encodePieceCid(hashed.piece) !== cid && offset > 0) {
      context.log.warn({ piece: cid, offset }, 'partial piece does not match, fetching it from the start')
      await file.truncate(0)
      hashed = await fill(context, row, part, 0, options)
    }
    if (encodePieceCid(hashed.piece) !== cid) {
      throw new CairnError('VERIFICATION_FAILED', {
        message: 'The bytes of the source do not match the commitment of the piece',
      })
    }
    await file.sync().catch(reportWrite)
    await files.keep(cid, hashed.levels).catch(reportWrite)
  } finally {
    await file.close()
  }
}

/**
 * Completes a part and returns the commitment to all of it. Declared zeros are neither fetched nor written: they
 * become a hole in the file, whose length still shows the progress.
 */
async function fill(
  context: Context,
  row: PieceRow,
  part: PartFile,
  offset: number,
  options: PullOptions,
): Promise<HashedPiece> {
  const { file } = part
  const { signal, onProgress } = options
  const { payload_bytes: payloadBytes } = row
  const hasher = context.hashes.createHasher()
  const buffers = createAlignedPool(maxSpareBytes)
  try {
    await hashPart(hasher, file, offset, signal)
    onProgress(offset)
    if (offset === payloadBytes) return await hasher.finish()
    requireSource(context.config.sources, row.url)
    let position = offset
    let syncedBytes = offset
    for (const range of decodeContent(row)) {
      if (range.end <= position) continue
      if (range.start > position) await hasher.writeZeros(range.start - position)
      position = Math.max(position, range.start)
      const writer = await openPartWriter(part, position, range.end - position).catch(reportWrite)
      try {
        const fetched = fetchRange(context, row, { start: position, end: range.end }, options)
        for await (const bytes of gatherPieces(fetched, buffers, position)) {
          const { length } = bytes
          await writer.append(bytes).catch(reportWrite)
          await hasher.lend(bytes, buffers.release)
          position += length
          if (position - syncedBytes >= syncEveryBytes) {
            await file.datasync().catch(reportWrite)
            syncedBytes = position
          }
          context.metrics.pulledBytes.inc(length)
          onProgress(position)
        }
        await writer.finish().catch(reportWrite)
      } finally {
        await writer.close()
      }
    }
    if (position < payloadBytes) {
      await hasher.writeZeros(payloadBytes - position)
      await file.truncate(payloadBytes).catch(reportWrite)
      onProgress(payloadBytes)
    }
    return await hasher.finish()
  } catch (error) {
    hasher.drop()
    throw error
  }
}

function fetchRange(
  { config, keys }: Context,
  { cid, url, authorization, payload_bytes: payloadBytes }: PieceRow,
  { start, end }: PayloadRange,
  { signal, windowMs }: PullOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  return fetchPayload({
    url,
    authorization: authorization === null ? undefined : openAuthorization(keys.sealing, cid, authorization),
    start,
    end,
    payloadBytes,
    minBytesPerSecond: config.minPullBytesPerSecond,
    windowMs,
    signal,
  })
}

async function hashPart(hasher: ThreadHasher, file: FileHandle, end: number, signal: AbortSignal): Promise<void> {
  const buffer = new Uint8Array(Math.min(readBytes, end))
  for (let position = 0; position < end; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position)
    if (bytesRead === 0) throw new CairnError('STORAGE_FAILED', { cause: 'a partial file became shorter' })
    await hasher.write(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}

function reportWrite(error: unknown): never {
  throw describeWriteError(error)
}
