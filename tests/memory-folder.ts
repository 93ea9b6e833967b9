import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'

/** Where Linux has a file system in memory. */
const memory = '/dev/shm'
/** A run uses up to 2 GiB; containers often have a file system of 64 MiB there. */
const minFreeBytes = 6 * 2 ** 30
const minMemoryBytes = 12 * 2 ** 30

/**
 * Creates a folder in memory for the temporary files of a run: tests wait for thousands of syncs, and none of them takes the
 * power away from a disk. Returns undefined where there is not enough memory, and if `CAIRN_TEST_DISK` is set.
 */
export function createMemoryFolder(): { path: string; remove(): void } | undefined {
  if (process.env['CAIRN_TEST_DISK'] || process.platform !== 'linux' || totalmem() < minMemoryBytes) return undefined
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < minFreeBytes) return undefined
    const path = mkdtempSync(join(memory, 'cairn-tests-'))
    // PostgreSQL runs as another user when the tests run as root.
    chmodSync(path, 0o711)
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
  } catch {
    // No such file system, or not writable: the temporary folder of the system does as well.
    return undefined
  }
}
