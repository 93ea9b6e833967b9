import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CairnError } from '@cairn/protocol'
import { withoutWalletConnectFile } from '@cairn/storage'
import * as v from 'valibot'
import { lockBuild } from './build-lock.ts'
import { endProcess, endWithThisProcess } from './processes/end-process.ts'

// A bundle is at the same depth in the project as this file.
const project = resolve(import.meta.dirname, '../../..')
/** The file whose modification time is the time of the build. */
const marker = 'index.html'
const endTimeoutMs = 1_000

/** The files that tools write next to the sources of the console. */
const isWritten = (name: string) => name === 'node_modules' || name.startsWith('dist') || name.endsWith('.tsbuildinfo')
const packagePrefix = '@cairn/'
const manifestSchema = v.object({ dependencies: v.optional(v.record(v.string(), v.string()), {}) })

export type BuildConsoleOptions = {
  /** Called before a build starts. */
  onBuild?: (() => void) | undefined
  /** Root folder of the project. */
  root?: string
  /** Aborts the build. */
  signal?: AbortSignal | undefined
}

/**
 * Returns the folder of the built console. Builds it first if it is missing or older than its sources, which takes
 * seconds; without the bundler, an existing build is used. One process builds at a time, the others wait.
 * @returns undefined if there is no console and no bundler to build it
 * @throws CairnError INTERNAL with the output of the bundler if it fails
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
  using _lock = await lockBuild(join(root, '.cache', 'console-build.lock'), signal)
  // Another process may have built it meanwhile.
  if (await isFresh(folder, root)) return folder
  onBuild?.()
  // Built in a temporary folder and renamed, so that no reader sees half of it.
  const fresh = join(consoleFolder, `dist-${process.pid}-${Date.now()}`)
  const old = `${fresh}-old`
  try {
    const began = new Date()
    await runVite(vite, consoleFolder, fresh, signal)
    // The time of the build is its start: a source that changed meanwhile is newer.
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
  // A package installed after the build belongs in it.
  const lacksPart = (await modifiedAt(join(folder, withoutWalletConnectFile))) > 0
  if (lacksPart && findPackage('@walletconnect/sign-client', join(root, 'apps', 'console')) !== undefined) return false
  return at > 0 && at > (await newestOf(await listSources(root)))
}

/** Returns the sources of the bundle: the whole folder of the console, and the packages that it bundles from source. */
async function listSources(root: string): Promise<string[]> {
  const consoleFolder = join(root, 'apps', 'console')
  const own = (await readdir(consoleFolder)).filter((name) => !isWritten(name))
  const packages = new Set<string>()
  await addPackages(root, consoleFolder, packages)
  return [
    ...own.map((name) => join(consoleFolder, name)),
    ...[...packages].flatMap((folder) => [join(folder, 'src'), join(folder, 'package.json')]),
    join(root, 'package-lock.json'),
  ]
}

/** Adds the folders of the packages of this project that one of them depends on, directly or by another. */
async function addPackages(root: string, folder: string, found: Set<string>): Promise<void> {
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { dependencies } = v.parse(v.pipe(v.string(), v.parseJson(), manifestSchema), text)
  for (const name of Object.keys(dependencies)) {
    const own = join(root, 'packages', name.slice(packagePrefix.length))
    if (!name.startsWith(packagePrefix) || found.has(own)) continue
    found.add(own)
    await addPackages(root, own, found)
  }
}

/** Returns the folder of an installed package, as the console resolves it. */
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
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output = (output + text).slice(-4000)
    })
  }
  if (signal?.aborted) end()
  const [code] = await once(child, 'close')
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (code !== 0) {
    throw new CairnError('INTERNAL', {
      message: `Cannot build the console: ${output.trim()}`,
      hint: 'Fix the error, or set CAIRN_CONSOLE_FOLDER to a built console.',
    })
  }
}

/** Returns the modification time of a file in ms since 1970; 0 for a missing file. */
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
