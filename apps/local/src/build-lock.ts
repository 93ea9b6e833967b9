import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'

const lockPollMs = 100

/**
 * Waits for a lock of the operating system, acquired through SQLite: it is released when the process exits, however it exits.
 * @param path of the lock file; its folder is created
 */
export async function lockBuild(path: string, signal: AbortSignal | undefined): Promise<Disposable> {
  await mkdir(dirname(path), { recursive: true })
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    while (!tryLock(lock)) await setTimeout(lockPollMs, undefined, { signal })
  } catch (error) {
    lock.close()
    throw error
  }
  return { [Symbol.dispose]: () => lock.close() }
}

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) return false
    throw error
  }
}
