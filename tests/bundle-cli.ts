import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build, type OutputFile, stop } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, '.cache', 'cli')
/** Bundles of other runs that may still be in use are kept. */
const keptMs = 86_400_000

/**
 * Bundles the command line from its current sources, so that Node reads few files at each of the many starts. The
 * folder is named after the content, so that unchanged code keeps its path and its entry in Node's compile cache.
 * @returns the path of the program
 */
export async function bundleCli(): Promise<string> {
  const outputFiles = await bundle()
  const hash = createHash('sha256')
  for (const { path, contents } of outputFiles) hash.update(`${basename(path)} ${contents.length}\n`).update(contents)
  const target = join(folder, hash.digest('hex').slice(0, 16))
  mkdirSync(folder, { recursive: true })
  removeOld()
  if (existsSync(target)) utimesSync(target, new Date(), new Date())
  else {
    // Renamed when complete, because another run may look for it at the same time.
    const fresh = mkdtempSync(join(folder, 'new-'))
    for (const { path, contents } of outputFiles) writeFileSync(join(fresh, basename(path)), contents)
    try {
      renameSync(fresh, target)
    } catch (error) {
      rmSync(fresh, { recursive: true })
      if (!existsSync(target)) throw error
    }
  }
  return join(target, 'cairn.js')
}

async function bundle(): Promise<OutputFile[]> {
  try {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: { cairn: 'packages/cli/src/bin.ts' },
      outdir: folder,
      write: false,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      conditions: ['@cairn/source'],
      keepNames: true,
      logLevel: 'error',
      // Loaded from `node_modules`, as in an installation: one has a library per platform, one is optional.
      external: ['@chainsafe/*', '@aws-sdk/*'],
      banner: {
        js: "import { createRequire as cairnCreateRequire } from 'node:module'; const require = cairnCreateRequire(import.meta.url);",
      },
    })
    return outputFiles
  } finally {
    await stop()
  }
}

function removeOld(): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > keptMs)
      rmSync(path, { recursive: true, force: true })
  }
}
