import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'

const root = resolve(import.meta.dirname, '../../..')
const consoleFolder = join(root, 'apps', 'console')

/** What the bundle is made of: the console itself, and the packages that it takes in from their sources. */
const sources = [
  ...['src', 'public', 'index.html', 'vite.config.ts', 'compress-assets.ts', 'package.json'].map((name) =>
    join(consoleFolder, name),
  ),
  ...['protocol', 'unixfs', 'crypto', 'names', 'pieces', 'contracts', 'sdk'].map((name) =>
    join(root, 'packages', name, 'src'),
  ),
  join(root, 'package-lock.json'),
]

/**
 * The folder of the built console. It is built first where it is missing or older than its sources, which takes seconds;
 * where the bundler is not installed, what is there is served.
 * @param onBuild told before a build begins
 * @returns undefined where there is no console and nothing to build it with
 * @throws CairnError INTERNAL with what the bundler said when it fails
 */
export async function buildConsole(onBuild?: () => void): Promise<string | undefined> {
  const folder = join(consoleFolder, 'dist')
  const builtAt = await modifiedAt(join(folder, 'index.html'))
  const vite = findVite()
  if (vite === undefined) return builtAt === 0 ? undefined : folder
  if (builtAt > 0 && builtAt > (await newestOf(sources))) return folder
  onBuild?.()
  // Built beside its place and moved there whole: two that build at the same time do no harm, and nobody reads half of it.
  const fresh = join(consoleFolder, `dist-${process.pid}-${Date.now()}`)
  const old = `${fresh}-old`
  try {
    await runVite(vite, fresh)
    // Taken away in one step: what is removed file by file, another one may fill again meanwhile.
    await rename(folder, old).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    })
    await rename(fresh, folder).catch(async (error: unknown) => {
      // Another one was first: its build is as good.
      if ((await modifiedAt(join(folder, 'index.html'))) === 0) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
    await rm(old, { recursive: true, force: true })
  }
  return folder
}

function findVite(): string | undefined {
  try {
    return join(
      dirname(createRequire(join(consoleFolder, 'package.json')).resolve('vite/package.json')),
      'bin',
      'vite.js',
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

async function runVite(vite: string, outDir: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [vite, 'build', consoleFolder, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'],
    { cwd: consoleFolder, stdio: ['ignore', 'pipe', 'pipe'], env: { NODE_ENV: 'production' } },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      said = (said + text).slice(-4000)
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) {
    throw new CairnError('INTERNAL', {
      message: `The console cannot be built: ${said.trim()}`,
      hint: 'Mend it, or start without one: CAIRN_CONSOLE_FOLDER names a built one.',
    })
  }
}

/** When a file was changed, ms since 1970; 0 where there is none. */
async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}

async function newestOf(paths: readonly string[]): Promise<number> {
  let newest = 0
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
      throw error
    })
    const files = entries?.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    const times = await Promise.all(
      files === undefined ? [modifiedAt(path)] : files.map((entry) => modifiedAt(join(entry.parentPath, entry.name))),
    )
    newest = Math.max(newest, ...times)
  }
  return newest
}
