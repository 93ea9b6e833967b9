import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder that only its owner can read, and its parents. Node's recursive `mkdir` never ends in a folder in
 * which none can be created, such as `/proc`. `packages/service` has the same without promises: the two share only
 * `packages/protocol`, which does no I/O.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it.
    if (!(await isFolder(path))) throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    // Creating it reports why it cannot be used.
    return false
  }
}
