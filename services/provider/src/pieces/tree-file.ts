import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Piece } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { levelsBytes, nodeBytes, siblingOffsets } from './tree-levels.ts'
import { errnoOf } from './write-faults.ts'

/** Begins a tree's file; a checksum follows, then the levels. */
const magic = Buffer.from('cairn-tree-1\n')
const headBytes = magic.length + 32

/** What a tree's file holds. The checksum is over the CID, too: another piece's tree is no more use than a changed one. */
export function encodeTreeFile(cid: string, levels: Uint8Array): Uint8Array {
  return Buffer.concat([magic, sumOf(cid, levels), levels])
}

/** Some kept nodes. @throws CairnError PIECE_DAMAGED where they are not there; faults of the disk */
export function readKeptNodes(file: FileHandle, first: number, count: number): Promise<Uint8Array> {
  return readAt(file, first * nodeBytes, count * nodeBytes)
}

/** A kept node, and the siblings on its way to the root in hex. @throws as {@link readKeptNodes} */
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

/** Whether a tree's file is as it was written; reads all of it. */
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

/** Opens a tree's file. @throws CairnError PIECE_DAMAGED where there is none, or another kind of file; faults of the disk */
export async function openTree(path: string): Promise<FileHandle> {
  const file = await openExisting(path)
  try {
    const head = await readAt(file, -headBytes, magic.length)
    if (magic.equals(head)) return file
    throw new CairnError('PIECE_DAMAGED', { message: 'The tree of the piece is none' })
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
      throw new CairnError('PIECE_DAMAGED', { message: 'The tree of the piece is gone', cause })
    throw cause
  }
}

/** `offset` counts from the end of the head. */
async function readAt(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, headBytes + offset + done)
    if (bytesRead === 0) throw new CairnError('PIECE_DAMAGED', { message: 'The tree of the piece is cut' })
    done += bytesRead
  }
  return bytes
}

function sumOf(cid: string, levels: Uint8Array): Buffer {
  return createHash('sha256').update(cid).update(levels).digest()
}
