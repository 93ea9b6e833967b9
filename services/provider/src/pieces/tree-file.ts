import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Piece } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { errnoOf } from '@cairn/service/objects'
import { levelsBytes, nodeBytes, siblingOffsets } from './tree-levels.ts'

/** Magic bytes of a tree's file, followed by a checksum and the levels. */
const magic = Buffer.from('cairn-tree-1\n')
const headBytes = magic.length + 32

/** Encodes a tree's file. The checksum covers the CID, too: another piece's tree is as useless as a changed one. */
export function encodeTreeFile(cid: string, levels: Uint8Array): Uint8Array {
  return Buffer.concat([magic, sumOf(cid, levels), levels])
}

/** Reads kept nodes. @throws CairnError PIECE_DAMAGED when they are missing; disk errors */
export function readKeptNodes(file: FileHandle, first: number, count: number): Promise<Uint8Array> {
  return readAt(file, first * nodeBytes, count * nodeBytes)
}

/** Reads a kept node, and the siblings on its path to the root in hex. @throws as {@link readKeptNodes} */
export async function readKeptPath(
  path: string,
  piece: Piece,
  kept: number,
): Promise<{ node: Uint8Array; path: string[] }> {
  await using file = await openTree(path)
  const node = await readAt(file, kept * nodeBytes, nodeBytes)
  const siblings: string[] = []
  for (const offset of siblingOffsets(piece, kept)) {
    siblings.push(Buffer.from(await readAt(file, offset, nodeBytes)).toString('hex'))
  }
  return { node, path: siblings }
}

/** Whether a tree's file is unchanged; reads all of it. */
export async function isTreeWhole(path: string, cid: string, piece: Piece): Promise<boolean> {
  try {
    await using file = await openTree(path)
    if ((await file.stat()).size !== headBytes + levelsBytes(piece)) return false
    const hash = createHash('sha256').update(cid)
    for await (const bytes of file.createReadStream({ start: headBytes, autoClose: false })) hash.update(bytes)
    const head = await readAt(file, -headBytes, headBytes)
    return Buffer.concat([magic, hash.digest()]).equals(head)
  } catch (error) {
    if (CairnError.is(error, 'PIECE_DAMAGED') || errnoOf(error) === 'EIO') return false
    throw error
  }
}

/** Opens a tree's file. @throws CairnError PIECE_DAMAGED when it is missing or another kind of file; disk errors */
export async function openTree(path: string): Promise<FileHandle> {
  const file = await openExisting(path)
  try {
    const head = await readAt(file, -headBytes, magic.length)
    if (magic.equals(head)) return file
    throw new CairnError('PIECE_DAMAGED', { message: 'The tree of the piece is not valid' })
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openExisting(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT')
      throw new CairnError('PIECE_DAMAGED', { message: 'The tree of the piece is missing', cause })
    throw cause
  }
}

/** `offset` is relative to the end of the header. */
async function readAt(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, headBytes + offset + done)
    if (bytesRead === 0) throw new CairnError('PIECE_DAMAGED', { message: 'The tree of the piece is truncated' })
    done += bytesRead
  }
  return bytes
}

function sumOf(cid: string, levels: Uint8Array): Buffer {
  return createHash('sha256').update(cid).update(levels).digest()
}
