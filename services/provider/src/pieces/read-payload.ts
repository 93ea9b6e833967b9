import { type FileHandle, open } from 'node:fs/promises'
import { keptLevel, keptPayloadBytes } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import type { KeptPiece } from './open-kept.ts'

const nodeBytes = 32
/** Kept nodes that are read and checked together: about a MiB of payload. */
const nodesInWindow = 32
/** Bytes that are read and checked together. */
export const windowBytes = nodesInWindow * keptPayloadBytes

/**
 * The bytes from `start` up to, not including, `end`: each is checked against the piece before it is given out. One window is
 * read ahead.
 * @throws CairnError PIECE_DAMAGED, after which the piece is marked; PIECE_NOT_FOUND where it was removed meanwhile
 */
export async function* readPayload(
  context: Context,
  kept: KeptPiece,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let file: FileHandle | undefined
  let next: Promise<Uint8Array> | undefined
  try {
    const opened = await open(context.files.payloadPath(kept.row.cid), 'r')
    file = opened
    const read = (window: number): Promise<Uint8Array> | undefined => {
      if (window * windowBytes >= end) return undefined
      const reading = readWindow(context, kept, opened, window)
      // Whoever stops early does not wait for it.
      reading.catch(() => undefined)
      return reading
    }
    const first = Math.floor(start / windowBytes)
    next = read(first)
    for (let window = first; next !== undefined; window++) {
      const bytes: Uint8Array = await next
      next = read(window + 1)
      const from = window * windowBytes
      yield bytes.subarray(Math.max(0, start - from), Math.min(bytes.length, end - from))
    }
  } catch (error) {
    throw isDamage(error) ? await noteDamage(context, kept.row, error) : error
  } finally {
    // A window that is still read needs the file.
    await next?.catch(() => undefined)
    await file?.close()
  }
}

async function readWindow(
  { hashes }: Context,
  { piece, tree }: KeptPiece,
  file: FileHandle,
  window: number,
): Promise<Uint8Array> {
  const offset = window * windowBytes
  const length = Math.min(windowBytes, piece.payloadBytes - offset)
  // Pieces below one kept node are checked by their root, all others node by node, zeros filling up the last.
  const isSmall = piece.height < keptLevel
  const count = Math.ceil(length / keptPayloadBytes)
  const room = new Uint8Array(isSmall ? length : count * keptPayloadBytes)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(room, done, length - done, offset + done)
    if (bytesRead === 0) throw new CairnError('PIECE_DAMAGED', { cause: 'the payload is shorter than it was' })
    done += bytesRead
  }
  const { nodes } = await hashes.hash(room)
  const expected = isSmall ? piece.root : tree.nodes.subarray(offsetOf(window), offsetOf(window) + count * nodeBytes)
  if (Buffer.compare(nodes, expected) !== 0) throw new CairnError('PIECE_DAMAGED', { details: { offset } })
  return room.subarray(0, length)
}

function offsetOf(window: number): number {
  return window * nodesInWindow * nodeBytes
}
