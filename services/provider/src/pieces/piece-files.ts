import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '@cairn/service'
import { errnoOf } from '@cairn/service/objects'
import { encodeTreeFile } from './tree-file.ts'

/** The files of a provider: payloads, the upper levels of their trees, and incomplete parts. */
export type PieceFiles = {
  payloadPath(cid: string): string
  treePath(cid: string): string
  /** Path of a growing payload until it is complete and verified. */
  partPath(cid: string): string
  /** Length of a part; 0 when there is none. */
  partBytes(cid: string): Promise<number>
  /**
   * Moves a payload without a valid row back to the parts: the process ended before its row was written, or the piece
   * was found damaged. An existing part is newer and takes precedence.
   */
  moveBackToPart(cid: string): Promise<void>
  /**
   * Turns a complete, synced part into the payload; durable when it resolves. The tree is written first, so that
   * every payload has one.
   */
  keep(cid: string, levels: Uint8Array): Promise<void>
  writeTree(cid: string, levels: Uint8Array): Promise<void>
  /** Removes all files of a piece. A missing file is not an error. */
  remove(cid: string): Promise<void>
  removePart(cid: string): Promise<void>
  /** Returns the CIDs of all pieces that have a file. */
  list(): Promise<Set<string>>
}

/** Opens the folders of a provider and creates missing ones. */
export async function openPieceFiles(home: string): Promise<PieceFiles> {
  const pieces = join(home, 'pieces')
  const parts = join(home, 'parts')
  for (const folder of [home, pieces, parts]) makeFolder(folder)
  await syncFolder(home)

  // The end of a CID is evenly distributed; its beginning is the same for all.
  const place = (cid: string, kind: string) => join(pieces, cid.slice(-2), `${cid}.${kind}`)
  const payloadPath = (cid: string) => place(cid, 'payload')
  const treePath = (cid: string) => place(cid, 'tree')
  const partPath = (cid: string) => join(parts, cid)

  const ensureFolder = async (cid: string): Promise<void> => {
    const folder = dirname(payloadPath(cid))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await syncFolder(pieces)
  }
  const writeTree = async (cid: string, levels: Uint8Array): Promise<void> => {
    await ensureFolder(cid)
    const draft = join(parts, `${cid}.${randomUUID()}`)
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(encodeTreeFile(cid, levels))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, treePath(cid))
    } finally {
      await rm(draft, { force: true })
    }
    await syncFolder(dirname(treePath(cid)))
  }

  return {
    payloadPath,
    treePath,
    partPath,
    writeTree,
    async partBytes(cid) {
      return (await sizeOf(partPath(cid))) ?? 0
    },
    async moveBackToPart(cid) {
      if ((await sizeOf(payloadPath(cid))) === undefined) return
      if ((await sizeOf(partPath(cid))) === undefined) await rename(payloadPath(cid), partPath(cid))
      else await rm(payloadPath(cid), { force: true })
    },
    async keep(cid, levels) {
      await writeTree(cid, levels)
      await rename(partPath(cid), payloadPath(cid))
      await syncFolder(dirname(payloadPath(cid)))
      await syncFolder(parts)
    },
    async remove(cid) {
      for (const path of [payloadPath(cid), treePath(cid), partPath(cid)]) await rm(path, { force: true })
    },
    async removePart(cid) {
      await rm(partPath(cid), { force: true })
    },
    async list() {
      const found = new Set<string>()
      const note = (name: string) => found.add(name.split('.')[0] ?? name)
      for (const folder of await readdir(pieces)) for (const name of await readdir(join(pieces, folder))) note(name)
      for (const name of await readdir(parts)) {
        // An unfinished tree that was never reported.
        if (name.includes('.')) await rm(join(parts, name), { force: true })
        else note(name)
      }
      return found
    },
  }
}

/** Makes renames into a folder survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
