import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CairnError } from '@cairn/protocol'
import { describeFailedFile } from './database/sqlite-errors.ts'
import { ensurePrivateFile } from './private-files.ts'

/** Messages for a second process that is rejected. */
export type FolderLock = {
  /** Name of the lock file without its extension. */
  name: string
  /** Subject of the message, such as "A storage service". */
  holder: string
  /** What the operator can do. */
  hint: string
}

/**
 * Locks a folder for this process. The lock is that of the operating system on `{name}.lock`, acquired through SQLite,
 * so it ends with the process, including after `kill -9` and a power cut. `{name}.pid` names the holder for people and
 * has no effect.
 * @param folder must exist
 * @throws CairnError CONFLICT naming the process that has the lock
 */
export async function lockFolder(folder: string, { name, holder, hint }: FolderLock): Promise<AsyncDisposable> {
  const pidFile = join(folder, `${name}.pid`)
  const lockFile = join(folder, `${name}.lock`)
  ensurePrivateFile(lockFile)
  const lock = openLock(lockFile)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && /locked/.test(cause.message))) throw describeFailedFile(lockFile, cause)
    throw new CairnError('CONFLICT', {
      message: `${holder} is already running on ${folder}${await nameHolder(pidFile)}`,
      hint,
      cause,
    })
  }
  await writeFile(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return {
    async [Symbol.asyncDispose]() {
      await rm(pidFile, { force: true })
      lock.close()
    },
  }
}

function openLock(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw describeFailedFile(path, error)
  }
}

async function nameHolder(pidFile: string): Promise<string> {
  try {
    return ` (process ${(await readFile(pidFile, 'utf8')).trim()})`
  } catch {
    // The holder has not written its id yet: the message omits it.
    return ''
  }
}
