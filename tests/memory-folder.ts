import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'

/** Where Linux has a file system in memory. */
const memory = '/dev/shm'
/** A run uses up to 2 GiB; containers often have an in-memory file system of only 64 MiB. */
const minFreeBytes = 6 * 2 ** 30
const minMemoryBytes = 12 * 2 ** 30
const prefix = 'cairn-tests-'
/** Folders older than this were left by killed runs. */
const staleMs = 6 * 3_600_000

/**
 * Creates a folder in memory for the temporary files of a run: tests wait for thousands of syncs, and none of them simulates a
 * power failure. Returns undefined without enough memory, or if `CAIRN_TEST_DISK` is set.
 */
export function createMemoryFolder(): { path: string; remove(): void } | undefined {
  if (process.env['CAIRN_TEST_DISK'] || process.platform !== 'linux' || totalmem() < minMemoryBytes) return undefined
  try {
    removeStale()
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < minFreeBytes) return undefined
    const path = mkdtempSync(join(memory, prefix))
    // PostgreSQL runs as another user when the tests run as root.
    chmodSync(path, 0o711)
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
  } catch {
    // No such file system, or not writable: the system's temporary folder works as well.
    return undefined
  }
}

function removeStale(): void {
  for (const name of readdirSync(memory)) {
    const path = join(memory, name)
    if (!name.startsWith(prefix)) continue
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN) > staleMs)
      rmSync(path, { recursive: true, force: true })
  }
}
