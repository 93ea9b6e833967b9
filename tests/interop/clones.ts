import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The setting with the folder of repository clones, for programs and suites that no registry has. */
export const clonesSetting = 'CAIRN_TEST_SOURCES'

/** Folder of the clone of a repository; undefined if there is none. */
export function findClone(repository: string): string | undefined {
  const folder = process.env[clonesSetting]
  if (folder === undefined) return undefined
  const clone = resolve(folder, repository)
  return existsSync(clone) ? clone : undefined
}
