import { type FileHandle, open } from 'node:fs/promises'
import { keptLevel, keptPayloadBytes } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import type { KeptPiece } from './open-kept.ts'
import { withTreeRepair } from './repair-tree.ts'
import { openTree, readKeptNodes } from './tree-file.ts'

/** Kept nodes that are read and verified together: about 1 MiB of payload. */
const nodesInWindow = 32
/** Bytes that are read and verified together. */
export const windowBytes = nodesInWindow * keptPayloadBytes

/**
 * Streams the bytes from `start` up to, but not including, `end`, each verified against the piece before it is
 * yielded. Reads one window ahead.
 * @throws CairnError PIECE_DAMAGED, after which the piece is marked; PIECE_NOT_FOUND when it was removed meanwhile
 */
export async function* readPayload(
  context: Context,
  kept: KeptPiece,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await openPayload(context, kept)
  // Both files stay open: a read in progress can finish although the piece is removed meanwhile.
  let tree: Promise<FileHandle> | undefined
  const closeTree = async () => {
    await (await tree?.catch(() => undefined))?.close()
    tree = undefined
  }
  const readNodes = async (first: number, count: number): Promise<Uint8Array> => {
    tree ??= openTree(context.files.treePath(kept.row.cid))
    return readKeptNodes(await tree, first, count)
  }
  let next: Promise<Uint8Array> | undefined
  const read = (window: number): Promise<Uint8Array> | undefined => {
    if (window * windowBytes >= end) return undefined
    const reading = withTreeRepair(context, kept, async (isAgain) => {
      if (isAgain) await closeTree()
      return readWindow(context, kept, file, window, readNodes)
    })
    // A reader that stops early does not await it.
    reading.catch(() => undefined)
    return reading
  }
  try {
    const first = Math.floor(start / windowBytes)
    next = read(first)
    for (let window = first; next !== undefined; window++) {
      const bytes: Uint8Array = await next
      next = read(window + 1)
      const from = window * windowBytes
      yield bytes.subarray(Math.max(0, start - from), Math.min(bytes.length, end - from))
    }
  } finally {
    // A pending read of a window needs the file.
    await next?.catch(() => undefined)
    await closeTree()
    await file.close()
  }
}

async function openPayload(context: Context, { row }: KeptPiece): Promise<FileHandle> {
  try {
    return await open(context.files.payloadPath(row.cid), 'r')
  } catch (error) {
    throw isDamage(error) ? await noteDamage(context, row, error) : error
  }
}

async function readWindow(
  { hashes }: Context,
  { piece }: KeptPiece,
  file: FileHandle,
  window: number,
  readNodes: (first: number, count: number) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const offset = window * windowBytes
  const length = Math.min(windowBytes, piece.payloadBytes - offset)
  // Pieces smaller than one kept node are verified by their root, all others node by node, with zeros padding the
  // last.
  const isSmall = piece.height < keptLevel
  const count = Math.ceil(length / keptPayloadBytes)
  const buffer = new Uint8Array(isSmall ? length : count * keptPayloadBytes)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, offset + done)
    if (bytesRead === 0) throw new CairnError('PIECE_DAMAGED', { cause: 'the payload is shorter than it was' })
    done += bytesRead
  }
  const nodes = await hashes.hash(buffer)
  const expected = isSmall ? piece.root : await readNodes(window * nodesInWindow, count)
  if (Buffer.compare(nodes, expected) !== 0) throw new CairnError('PIECE_DAMAGED', { details: { offset } })
  return buffer.subarray(0, length)
}
