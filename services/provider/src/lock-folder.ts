import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CairnError } from '@cairn/protocol'

/**
 * Claims a folder for this process: two that fetch into one folder would write into each other's parts. The claim is a lock
 * of the operating system, taken by way of SQLite, so that it ends with the process however that dies.
 * @throws CairnError CONFLICT
 */
export function lockFolder(folder: string): Disposable {
  const lock = new DatabaseSync(join(folder, 'provider.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && /locked/.test(cause.message))) throw cause
    throw new CairnError('CONFLICT', {
      message: `Another provider runs on ${folder}`,
      hint: 'End it, or choose another folder with CAIRN_PROVIDER_HOME.',
      cause,
    })
  }
  return { [Symbol.dispose]: () => lock.close() }
}
