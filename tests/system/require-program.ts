import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A program of the system that tests of this ring cannot do without.
 * @returns its path
 * @throws Error with how to get it; a test that needs it fails then, and is never skipped
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
