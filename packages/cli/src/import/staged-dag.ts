import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { encodeCarFrame, encodeCarHeader, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { makeFolder } from '../state/make-folder.ts'
import { createStoredBlocks, type StoredBlocks, sha256 } from './stored-blocks.ts'

/** The received blocks of one DAG, in a CAR that keeps them over an interruption. */
export type StagedDag = AsyncDisposable & {
  readonly blocks: StoredBlocks
  /** Appends a verified block. */
  add(cid: CID, bytes: Uint8Array): Promise<void>
  remove(): Promise<void>
}

/** Opens the CAR at `path`, or creates it. Keeps the intact blocks at its start and removes the rest. */
export async function openStagedDag(path: string, root: CID): Promise<StagedDag> {
  await makeFolder(dirname(path))
  const file = await open(path, 'a+', 0o600)
  try {
    const blocks = createStoredBlocks([path])
    let end = await recover(path, blocks)
    await file.truncate(end)
    if (end === 0) end = await append(file, encodeCarHeader([root]), end)
    let last = Promise.resolve()
    return {
      blocks,
      add(cid, bytes) {
        // Concurrent requests share the file.
        last = last.then(async () => {
          if (blocks.has(cid)) return
          const frame = encodeCarFrame(cid, bytes.length)
          const offset = end + frame.length
          end = await append(file, Buffer.concat([frame, bytes]), end)
          blocks.table.add(cid, { file: 0, offset, length: bytes.length })
        })
        return last
      },
      remove: () => rm(path, { force: true }),
      async [Symbol.asyncDispose]() {
        await last.catch(() => undefined)
        await file.close()
      },
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function append(file: FileHandle, bytes: Uint8Array, end: number): Promise<number> {
  await file.appendFile(bytes)
  return end + bytes.length
}

/** Registers the intact blocks of a CAR. @returns where they end, in bytes; 0 without an intact header */
async function recover(path: string, blocks: StoredBlocks): Promise<number> {
  let end = 0
  try {
    const reading = await readCar(createReadStream(path))
    for await (const { cid, bytes, offset, frameOffset, length } of reading.blocks) {
      // The first frame starts where the header ends.
      if (end === 0) end = frameOffset
      await verifyBlock(cid, bytes, sha256)
      blocks.table.add(cid, { file: 0, offset, length })
      end = offset + length
    }
  } catch (error) {
    if (!(error instanceof UnixfsError)) throw error
  }
  return end
}
