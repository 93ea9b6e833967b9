import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interopFolder } from './binaries.ts'

/** A program of the npm registry that is too large for the development dependencies. */
export type NpmProgram = { name: string; version: string }

/** Reads content from gateways and verifies it. */
export const verifiedFetch: NpmProgram = { name: '@helia/verified-fetch', version: '8.0.4' }

/** Where `npm run interop:install` puts it, with its dependencies. */
export function npmProgramFolder({ name, version }: NpmProgram): string {
  return join(interopFolder, `${name.replaceAll('/', '-')}-${version}`)
}

export function isNpmProgramInstalled(program: NpmProgram): boolean {
  return existsSync(join(npmProgramFolder(program), 'node_modules', program.name, 'package.json'))
}
