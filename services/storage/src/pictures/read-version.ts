import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** Version of what this service itself does to a picture: raise it when the same options give another result. */
const ownVersion = 2

/**
 * Returns the version of the rendering, or undefined if the library is not installed: most networks do not need its
 * 20 MiB.
 * @param base the file that imports it
 */
export function readVersion(base = import.meta.url): string | undefined {
  const path = findLibrary(base)
  if (path === undefined) return undefined
  const { version }: { version: string } = JSON.parse(readFileSync(path, 'utf8'))
  return `${ownVersion}.${version}`
}

function findLibrary(base: string): string | undefined {
  try {
    return findPackageJSON('sharp', base)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
