import { createHash } from 'node:crypto'
import { CairnError, MIB } from '@cairn/protocol'
import type { ObjectStore } from '../objects/objects.ts'

/** Size and sum of an object. */
export type Sum = { readonly bytes: number; readonly sha256: string }

/** An object of a backup, with its key in the destination. */
export type StoredFile = Sum & { readonly key: string }

/** Reads an object front to back. @throws CairnError DATA_DAMAGED when it is gone or ends early */
export async function* readPieces(
  objects: ObjectStore,
  key: string,
  bytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += MIB) {
    signal?.throwIfAborted()
    yield await objects.read(key, at, Math.min(MIB, bytes - at))
  }
}

/** Writes an object and returns its size and sum. It stays unconfirmed. Nothing is left when it fails. */
export async function writeStored(
  objects: ObjectStore,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  const writer = await objects.create(key)
  const hash = createHash('sha256')
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      await writer.append([chunk])
    }
    const { sizeBytes } = await writer.finish()
    return { key, bytes: sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Yields the bytes of a file of a backup, and fails at its end when they differ from its sum. @throws CairnError BACKUP_DAMAGED */
export async function* readStored(
  objects: ObjectStore,
  { key, bytes, sha256 }: StoredFile,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const size = await objects.size(key)
  if (size !== bytes) throw damaged(key, size === undefined ? 'is missing' : `has ${size} of ${bytes} bytes`)
  const hash = createHash('sha256')
  try {
    for await (const piece of readPieces(objects, key, bytes, signal)) {
      hash.update(piece)
      yield piece
    }
  } catch (error) {
    // The disk cannot read it, or it ended early.
    throw CairnError.is(error, 'DATA_DAMAGED') ? damaged(key, 'cannot be read', error) : error
  }
  if (hash.digest('hex') !== sha256) throw damaged(key, 'does not match its sum')
}

/** Reads a small file of a backup as a whole. */
export async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}

/** @returns the error for a file of a backup that cannot be used */
export function damaged(key: string, why: string, cause?: unknown): CairnError {
  return new CairnError('BACKUP_DAMAGED', { message: `${key} of the backup ${why}`, cause, details: { object: key } })
}
