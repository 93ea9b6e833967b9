import { hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type BlockIndex, missingBlock, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { type BlockPlace, type BlockTable, createBlockTable } from './block-table.ts'

/** Blocks in files on this machine. Each is verified when it is read; a damaged copy is skipped if there is another. */
export type StoredBlocks = BlockIndex & { has(cid: CID): boolean; readonly table: BlockTable }

/** @param paths the files that the places of the table refer to */
export function createStoredBlocks(paths: readonly string[], table = createBlockTable()): StoredBlocks {
  return {
    table,
    has: (cid) => table.find(cid).length > 0,
    async get(cid) {
      let failure: unknown = missingBlock(cid)
      for (const place of table.find(cid)) {
        try {
          const bytes = await readPlace(paths[place.file] ?? '', place)
          await verifyBlock(cid, bytes, sha256)
          return bytes
        } catch (error) {
          if (!(error instanceof UnixfsError)) throw error
          failure = error
        }
      }
      throw failure
    },
  }
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer')
}

async function readPlace(path: string, { offset, length }: BlockPlace): Promise<Uint8Array> {
  // Opened per block: an export can have more CARs than a process may open.
  const file = await open(path)
  try {
    return await readFully(file, offset, length)
  } finally {
    await file.close()
  }
}

async function readFully(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let at = 0
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, offset + at)
    if (bytesRead === 0) throw new UnixfsError('BAD_CAR', 'The CAR was shortened while it was read')
    at += bytesRead
  }
  return bytes
}
