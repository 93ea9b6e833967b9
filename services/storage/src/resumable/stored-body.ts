import { CairnError, MIB } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import type { UploadPart } from './store.ts'

const readBytes = MIB

/**
 * Streams the bytes of an upload from its parts, reading one piece ahead. A piece is valid until the next is
 * requested.
 * @throws CairnError DATA_DAMAGED when parts are missing or short, the signal's reason
 */
export async function* readParts(
  objects: ObjectStore,
  parts: readonly UploadPart[],
  lengthBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reads = listReads(parts, lengthBytes)
  // Two alternating buffers: one is filled while the other is used.
  const buffers = [Buffer.allocUnsafeSlow(readBytes), Buffer.allocUnsafeSlow(readBytes)] as const
  const start = (at: number): Promise<Uint8Array> | undefined => {
    const read = reads[at]
    if (read === undefined) return undefined
    const pending = objects.read(read.key, read.offset, read.length, at % 2 === 0 ? buffers[0] : buffers[1])
    // It is awaited later; until then its rejection must not count as unhandled.
    pending.catch(() => undefined)
    return pending
  }
  let next = start(0)
  for (let at = 1; next !== undefined; at++) {
    signal.throwIfAborted()
    const piece: Uint8Array = await next
    next = start(at)
    yield piece
  }
}

function listReads(
  parts: readonly UploadPart[],
  lengthBytes: number,
): { key: string; offset: number; length: number }[] {
  const reads: { key: string; offset: number; length: number }[] = []
  let at = 0
  for (const { offset_bytes, size_bytes, object_key: key } of parts) {
    if (offset_bytes !== at) throw damaged(at)
    for (let offset = 0; offset < size_bytes; offset += readBytes) {
      reads.push({ key, offset, length: Math.min(readBytes, size_bytes - offset) })
    }
    at += size_bytes
  }
  if (at !== lengthBytes) throw damaged(at)
  return reads
}

function damaged(at: number): CairnError {
  return new CairnError('DATA_DAMAGED', { message: 'Bytes of this upload are missing', details: { offset: at } })
}
