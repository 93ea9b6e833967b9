import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interopFolder } from './binaries.ts'

/** A program of the npm registry that is too large for the development dependencies. */
export type NpmProgram = {
  name: string
  version: string
  /** Whether it uses peer dependencies of its dependencies. Other peers, such as those for phones, are omitted. */
  needsPeers?: boolean
}

/** Reads content from gateways and verifies it. */
export const verifiedFetch: NpmProgram = { name: '@helia/verified-fetch', version: '8.0.4' }

/** The public suite of the Pinning Service API. It is archived, like its specification. */
export const pinningSuite: NpmProgram = {
  name: '@ipfs-shipyard/pinning-service-compliance',
  version: '1.8.1',
  needsPeers: true,
}

/** A JavaScript runtime other than Node. Its program is in the package of a platform. */
export type Runtime = NpmProgram & {
  /** Path of its program below its folder; undefined on platforms without one. */
  program: string | undefined
  /** Arguments before the file. */
  args: readonly string[]
}

const isLinux = process.platform === 'linux' && process.arch === 'x64'

export const deno: Runtime = {
  name: 'deno',
  version: '2.9.6',
  program: isLinux ? 'node_modules/@deno/linux-x64-glibc/deno' : undefined,
  args: ['run', '--allow-all', '--node-modules-dir=manual', '--no-remote'],
}

export const bun: Runtime = {
  name: 'bun',
  version: '1.4.5',
  program: isLinux ? 'node_modules/@oven/bun-linux-x64/bin/bun' : undefined,
  args: [],
}

/** Everything that `npm run interop:install` installs. */
export const npmPrograms: readonly NpmProgram[] = [verifiedFetch, pinningSuite, deno, bun]

/** Path of the program of an installed runtime; undefined if it is not there. */
export function findRuntime(runtime: Runtime): string | undefined {
  const path = join(npmProgramFolder(runtime), runtime.program ?? 'none')
  return existsSync(path) ? path : undefined
}

/** Folder where `npm run interop:install` installs it, with its dependencies. */
export function npmProgramFolder({ name, version }: NpmProgram): string {
  return join(interopFolder, `${name.replaceAll('/', '-')}-${version}`)
}

export function isNpmProgramInstalled(program: NpmProgram): boolean {
  return existsSync(join(npmProgramFolder(program), 'node_modules', program.name, 'package.json'))
}
