import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const packages = resolve(import.meta.dirname, '../packages')

/** Removes the built output of the published packages, so that output of deleted sources is neither published nor checked. */
export function cleanPackages(): void {
  for (const name of readdirSync(packages)) {
    rmSync(join(packages, name, 'dist'), { recursive: true, force: true })
    rmSync(join(packages, name, 'tsconfig.tsbuildinfo'), { force: true })
  }
}
