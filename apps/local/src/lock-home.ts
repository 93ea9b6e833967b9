import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CairnError } from '@cairn/protocol'

/**
 * Claims a home folder for this process. The claim is a lock of the operating system on `network.lock`, taken by way of
 * SQLite, so it ends with the process however that dies; `network.pid` only tells people who holds it.
 * @throws CairnError CONFLICT naming the process that holds the folder
 */
export async function lockHome(home: string): Promise<AsyncDisposable> {
  const pidFile = join(home, 'network.pid')
  const lock = new DatabaseSync(join(home, 'network.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && /locked/.test(cause.message))) throw cause
    throw new CairnError('CONFLICT', {
      message: `A local network already runs on ${home}${await nameHolder(pidFile)}`,
      hint: 'Use the one that runs, end it, or choose another folder with CAIRN_HOME.',
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
    // The holder has not written its number yet: the message goes without.
    return ''
  }
}
