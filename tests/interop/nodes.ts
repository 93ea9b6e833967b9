import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interopFolder } from './binaries.ts'

/** Versions of Node that the packages support: the oldest declared one, and the one that runs the tests. */
export const olderNodes = ['20.19.0', '22.12.0']

const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/** The package with a platform's Node. */
export const nodePackage = `node-${platform}`

/** Folder where `npm run interop:install` installs a version. */
export function nodeFolder(version: string): string {
  return join(interopFolder, `node-${version}`)
}

/** Folder of the program of a version. */
function nodeBin(version: string): string {
  return join(nodeFolder(version), 'node_modules', nodePackage, 'bin')
}

export function isNodeInstalled(version: string): boolean {
  return existsSync(join(nodeBin(version), process.platform === 'win32' ? 'node.exe' : 'node'))
}

/** @throws Error that names the command to install it. */
export function requireNode(version: string): string {
  if (isNodeInstalled(version)) return nodeBin(version)
  throw new Error(`Node ${version} is not installed yet. Run: npm run interop:install`)
}
