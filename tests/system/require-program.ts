import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A system program that the tests of this ring require.
 * @returns its path
 * @throws Error with how to install it; a test that needs it then fails, and is never skipped
 */
export function requireProgram(name: string, debianPackage: string): string {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
  const found = places.find(isExecutable)
  if (found !== undefined) return found
  throw new Error(`This test needs ${name}, which is not in the PATH. On Debian: apt install ${debianPackage}.`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
