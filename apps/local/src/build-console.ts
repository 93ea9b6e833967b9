import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { CairnError } from '@cairn/protocol'
import { withoutWalletConnectFile } from '@cairn/storage'
import { endProcess, endWithThisProcess } from './end-process.ts'

const project = resolve(import.meta.dirname, '../../..')
/** The file whose time is that of the build. */
const marker = 'index.html'
const lockPollMs = 100
const endTimeoutMs = 1_000

/** What the bundle is made of: the console itself, and the packages that it takes in from their sources. */
const sources = [
  ...[
    'src',
    'public',
    'index.html',
    'vite.config.ts',
    'compress-assets.ts',
    'wallet-connect-part.ts',
    'package.json',
  ].map((name) => join('apps', 'console', name)),
  ...['protocol', 'unixfs', 'crypto', 'names', 'pieces', 'contracts', 'sdk'].map((name) =>
    join('packages', name, 'src'),
  ),
  'package-lock.json',
]

export type BuildConsoleOptions = {
  /** Called before a build begins. */
  onBuild?: (() => void) | undefined
  /** The project's folder. */
  root?: string
  /** Ends the build early. */
  signal?: AbortSignal | undefined
}

/**
 * The folder of the built console. It is built first where it is missing or older than its sources, which takes seconds;
 * where the bundler is not installed, what is there is served. One process builds at a time, the others wait for it.
 * @returns undefined where there is no console and nothing to build it with
 * @throws CairnError INTERNAL with what the bundler said when it fails
 */
export async function buildConsole({
  onBuild,
  root = project,
  signal,
}: BuildConsoleOptions = {}): Promise<string | undefined> {
  const consoleFolder = join(root, 'apps', 'console')
  const folder = join(consoleFolder, 'dist')
  const vite = findPackage('vite', consoleFolder)
  if (vite === undefined) return (await builtAt(folder)) === 0 ? undefined : folder
  if (await isFresh(folder, root)) return folder
  using _lock = await lockBuild(join(root, '.cache'), signal)
  // Another one may have built it meanwhile.
  if (await isFresh(folder, root)) return folder
  onBuild?.()
  // Built beside its place and moved there whole: nobody reads half of it.
  const fresh = join(consoleFolder, `dist-${process.pid}-${Date.now()}`)
  const old = `${fresh}-old`
  try {
    const began = new Date()
    await runVite(vite, consoleFolder, fresh, signal)
    // As old as what it was built from: a source that was changed meanwhile is newer.
    await utimes(join(fresh, marker), began, began)
    await rename(folder, old).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    })
    await rename(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
    await rm(old, { recursive: true, force: true })
  }
  return folder
}

const builtAt = (folder: string): Promise<number> => modifiedAt(join(folder, marker))

async function isFresh(folder: string, root: string): Promise<boolean> {
  const at = await builtAt(folder)
  // A part that was installed after the build belongs into it.
  const lacksPart = (await modifiedAt(join(folder, withoutWalletConnectFile))) > 0
  if (lacksPart && findPackage('@walletconnect/sign-client', join(root, 'apps', 'console')) !== undefined) return false
  return at > 0 && at > (await newestOf(sources.map((path) => join(root, path))))
}

/** A lock of the operating system, taken by way of SQLite: it ends with the process however that dies. */
async function lockBuild(cacheFolder: string, signal: AbortSignal | undefined): Promise<Disposable> {
  await mkdir(cacheFolder, { recursive: true })
  const lock = new DatabaseSync(join(cacheFolder, 'console-build.lock'), { timeout: 0 })
  try {
    while (!tryLock(lock)) await setTimeout(lockPollMs, undefined, { signal })
  } catch (error) {
    lock.close()
    throw error
  }
  return { [Symbol.dispose]: () => lock.close() }
}

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) return false
    throw error
  }
}

/** The folder of an installed package, as the console finds it. */
function findPackage(name: string, consoleFolder: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, pathToFileURL(join(consoleFolder, 'package.json')))
    return manifest === undefined ? undefined : dirname(manifest)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

async function runVite(
  vite: string,
  consoleFolder: string,
  outDir: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(vite, 'bin', 'vite.js'), 'build', consoleFolder, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'],
    { cwd: consoleFolder, stdio: ['ignore', 'pipe', 'pipe'], env: { NODE_ENV: 'production' }, detached: true },
  )
  endWithThisProcess(child)
  const end = () => void endProcess(child, () => child.kill('SIGTERM'), endTimeoutMs)
  signal?.addEventListener('abort', end)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      said = (said + text).slice(-4000)
    })
  }
  if (signal?.aborted) end()
  const [code] = await once(child, 'close')
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (code !== 0) {
    throw new CairnError('INTERNAL', {
      message: `The console cannot be built: ${said.trim()}`,
      hint: 'Fix it, or name a built console in CAIRN_CONSOLE_FOLDER.',
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
