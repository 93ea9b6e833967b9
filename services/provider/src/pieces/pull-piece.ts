import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { encodePieceCid, type PayloadRange } from '@cairn/pieces'
import { CairnError, writeAll } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { decodeContent } from './content-ranges.ts'
import { fetchPayload } from './fetch-payload.ts'
import { gatherPieces } from './gather-pieces.ts'
import type { HashedPiece, ThreadHasher } from './hash-thread-client.ts'
import { openAuthorization } from './seal-authorization.ts'
import { requireSource } from './sources.ts'
import type { PieceRow } from './store.ts'
import { toWriteFailure } from './write-failures.ts'

/** Options of one attempt; it continues from existing bytes until complete or aborted. */
export type PullOptions = { signal: AbortSignal; windowMs: number; onProgress(receivedBytes: number): void }

const readBytes = 1024 * 1024
/** Bytes that may wait for the disk. A file system with a journal writes those of all files before it confirms a sync of one. */
const syncEveryBytes = 64 * 1024 * 1024

/**
 * Makes one attempt to fetch a piece. Bytes of an earlier attempt, including one of a killed process, are hashed
 * again and continued; if the payload turns out wrong after that, it is fetched once more from its first byte,
 * because the part may have been bad. When it resolves, payload and tree are durable and in place.
 *
 * @throws CairnError VERIFICATION_FAILED when the bytes do not match the piece, those of `fetchPayload`,
 * STORAGE_FULL, STORAGE_FAILED, SOURCE_NOT_ALLOWED
 */
export async function pullPiece(context: Context, row: PieceRow, options: PullOptions): Promise<void> {
  const { cid, payload_bytes: payloadBytes } = row
  const { files } = context
  await files.moveBackToPart(cid)
  const file = await open(files.partPath(cid), constants.O_RDWR | constants.O_CREAT, 0o600).catch(reportWrite)
  try {
    const { size } = await file.stat()
    const offset = size > payloadBytes ? 0 : size
    if (offset !== size) await file.truncate(0)
    let hashed = await fill(context, row, file, offset, options)
    if (encodePieceCid(hashed.piece) !== cid && offset > 0) {
      context.log.warn({ piece: cid, offset }, 'partial piece does not match, fetching it from the start')
      await file.truncate(0)
      hashed = await fill(context, row, file, 0, options)
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
  file: FileHandle,
  offset: number,
  options: PullOptions,
): Promise<HashedPiece> {
  const { signal, onProgress } = options
  const { payload_bytes: payloadBytes } = row
  const hasher = context.hashes.createHasher()
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
      const fetched = fetchRange(context, row, { start: position, end: range.end }, options)
      for await (const bytes of gatherPieces(fetched)) {
        const { length } = bytes
        await writeAll(file, [bytes], position).catch(reportWrite)
        await hasher.take(bytes)
        position += length
        if (position - syncedBytes >= syncEveryBytes) {
          await file.datasync().catch(reportWrite)
          syncedBytes = position
        }
        context.metrics.pulledBytes.inc(length)
        onProgress(position)
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
  throw toWriteFailure(error)
}
