import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** Group and others: what nobody but the owner of a service's data needs. */
const othersMask = 0o077

/**
 * Makes every file that this process creates readable to its owner alone, also those of libraries, which name no mode.
 * Call it first thing: a file that exists keeps its mode.
 */
export function keepFilesPrivate(): void {
  process.umask(othersMask)
}

/**
 * Creates an empty file that only its owner can read, or takes those rights away from one that others can read. SQLite gives
 * the log beside a database the mode of the database.
 *
 * An existing file is never opened: closing it would end the locks that this process holds on it.
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  // Windows keeps rights elsewhere; its mode bits say nothing.
  if (process.platform === 'win32') return
  const { mode } = statSync(path)
  if ((mode & othersMask) !== 0) chmodSync(path, mode & 0o700)
}
