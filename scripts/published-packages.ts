import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const packages = join(root, 'packages')

/** A package as its users receive it. */
export type PackedPackage = { name: string; archive: string }

/** Returns the folders of the published packages: all below `packages/` that are not private. */
export function publishedFolders(): string[] {
  return readdirSync(packages).filter((name) => {
    const manifest: { private?: boolean } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    return manifest.private !== true
  })
}

/** Removes the built output of the packages, so that output of deleted sources is neither published nor checked. */
export function cleanPackages(): void {
  for (const name of readdirSync(packages)) {
    rmSync(join(packages, name, 'dist'), { recursive: true, force: true })
    rmSync(join(packages, name, 'tsconfig.tsbuildinfo'), { force: true })
  }
}

/**
 * Builds the published packages from a clean state: JavaScript and types.
 * @returns whether the compiler found no error
 */
export function buildPackages(): boolean {
  cleanPackages()
  const projects = publishedFolders().map((name) => join('packages', name))
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  return spawnSync(tsc, ['-b', ...projects], { cwd: root, stdio: 'inherit' }).status === 0
}

/** Packs every published package, as built, into an existing folder. */
export async function packPackages(folder: string): Promise<PackedPackage[]> {
  const folders = publishedFolders()
  const workspaces = folders.flatMap((name) => ['-w', `packages/${name}`])
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...workspaces]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root })
  const packs: { name: string; filename: string }[] = JSON.parse(stdout)
  if (packs.length !== folders.length) throw new Error(`npm packed ${packs.length} of ${folders.length} packages`)
  return packs.map(({ name, filename }) => ({ name, archive: join(folder, filename) }))
}
