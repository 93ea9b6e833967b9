import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CairnError } from '@cairn/protocol'
import { ensurePrivateFile } from './private-files.ts'

/** The texts with which a second process is refused. */
export type FolderLock = {
  /** Name of the lock file without its ending. */
  name: string
  /** Subject of the message, such as "A storage service". */
  holder: string
  /** What the operator can do. */
  hint: string
}

/**
 * Locks a folder for this process. The lock is the operating system's on `{name}.lock`, taken through SQLite, so it ends with
 * the process, including by `kill -9` and a power cut. `{name}.pid` names the holder for people and decides nothing.
 *
 * @param folder must exist
 * @throws CairnError CONFLICT naming the process that holds the folder
 */
export async function lockFolder(folder: string, { name, holder, hint }: FolderLock): Promise<AsyncDisposable> {
  const pidFile = join(folder, `${name}.pid`)
  const lockFile = join(folder, `${name}.lock`)
  ensurePrivateFile(lockFile)
  const lock = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && /locked/.test(cause.message))) throw cause
    throw new CairnError('CONFLICT', {
      message: `${holder} already runs on ${folder}${await nameHolder(pidFile)}`,
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

async function nameHolder(pidFile: string): Promise<string> {
  try {
    return ` (process ${(await readFile(pidFile, 'utf8')).trim()})`
  } catch {
    // The holder has not written its number yet: the message does without.
    return ''
  }
}
