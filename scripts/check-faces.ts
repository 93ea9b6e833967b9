// Checks each published package in the archive that its users get: publint in strict mode, and whether its types
// resolve for users of ES modules. One process for all, so that the compiler loads once.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packPackages } from './published-packages.ts'

/** CommonJS and the oldest resolution: the packages are ES modules and support neither. */
const ignored = new Set(['node10', 'node16-cjs'])

/** Packs every published package into a folder. Returns the problems of the archives. */
async function findProblems(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const { name, archive: path } of await packPackages(folder)) {
    const archive = new Uint8Array(await readFile(path))
    const { messages, pkg } = await publint({ pack: { tarball: archive.buffer }, strict: true })
    for (const message of messages) {
      if (message.type === 'error') found.push(`${name}: ${formatMessage(message, pkg)}`)
    }
    const result = await checkPackage(createPackageFromTarballData(archive))
    // The command line exports nothing.
    if (!result.types) continue
    for (const problem of result.problems) {
      if (!('resolutionKind' in problem && ignored.has(problem.resolutionKind))) {
        found.push(`${name}: ${JSON.stringify(problem)}`)
      }
    }
  }
  return found
}

const folder = await mkdtemp(join(tmpdir(), 'cairn-packs-'))
try {
  const problems = await findProblems(folder)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
