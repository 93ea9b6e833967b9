import { mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createSharedRuns } from '../shared-runs.ts'
import { errnoOf } from './file-errors.ts'

const syncs = createSharedRuns(async (folder) => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
})

/** Makes renames into a folder and removals from it survive a power failure. Concurrent calls share a sync that starts after them. */
export function syncFolder(folder: string): Promise<void> {
  return syncs(resolve(folder))
}

/**
 * Creates folders below `root`, which must exist, and syncs the parent of each once per process: an existing folder
 * may come from a process that died before it synced.
 */
export function createDurableFolders(root: string): { ensure(folder: string): Promise<void> } {
  const known = new Map<string, Promise<void>>()

  const ensure = (folder: string): Promise<void> => {
    if (folder === root) return Promise.resolve()
    const started = known.get(folder)
    if (started !== undefined) return started
    const making = make(folder)
    known.set(folder, making)
    making.catch(() => known.delete(folder))
    return making
  }

  const make = async (folder: string): Promise<void> => {
    const parent = dirname(folder)
    await ensure(parent)
    try {
      await mkdir(folder, { mode: 0o700 })
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error
    }
    await syncFolder(parent)
  }

  return { ensure }
}
