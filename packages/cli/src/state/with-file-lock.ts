import { rmSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { CairnError } from '@cairn/sdk'

/** Age at which a lock belongs to a process that was killed: work under it takes milliseconds. */
const abandonedMs = 10_000
const pollMs = 10
const maxWaitMs = 30_000

/**
 * Runs work while no other call with the same lock file does, in this process or another one. A lock of a killed process
 * expires. There is no lock of the operating system here, because Node offers none on all versions and platforms that
 * the command line supports.
 * @throws CairnError FILE_UNREADABLE if the lock does not become free
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + maxWaitMs
  while (!(await acquire(path))) {
    if (Date.now() > deadline)
      throw new CairnError('FILE_UNREADABLE', {
        message: `${path} is in use by another process`,
        hint: 'Wait for the other cairn command, then try again.',
      })
    await removeAbandoned(path)
    await wait(pollMs)
  }
  // A second Ctrl-C exits at once.
  const release = () => rmSync(path, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

async function acquire(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function removeAbandoned(path: string): Promise<void> {
  try {
    if (Date.now() - (await stat(path)).mtimeMs < abandonedMs) return
    // Of several processes that see it, one renames it.
    const aside = `${path}.${process.pid}`
    await rename(path, aside)
    await rm(aside, { force: true })
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
