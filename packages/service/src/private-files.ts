import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** Permissions of group and others. */
const othersMask = 0o077

/**
 * Makes every file that this process creates readable by its owner only, including those of libraries. Call it before
 * any file is created.
 */
export function keepFilesPrivate(): void {
  process.umask(othersMask)
}

/**
 * Creates an empty file that only its owner can read, or restricts an existing one to its owner. SQLite gives the log
 * of a database the mode of the database.
 * Never opens an existing file: closing it would release the locks that this process has on it.
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  // Windows stores permissions elsewhere.
  if (process.platform === 'win32') return
  const { mode } = statSync(path)
  if ((mode & othersMask) !== 0) chmodSync(path, mode & 0o700)
}
