import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CairnError } from '@cairn/protocol'
import { lockBuild } from '../build-lock.ts'
import { endProcess, endWithThisProcess } from '../processes/end-process.ts'

const project = resolve(import.meta.dirname, '../../../..')
/** Bundles that no start has used for this long are removed. */
const keptMs = 86_400_000
/** How often a running network marks its bundle as used. */
const markEveryMs = 600_000
const endTimeoutMs = 1_000
const builder = fileURLToPath(new URL('./bundle-main.ts', import.meta.url))

/** Folders whose sources become part of the bundle. */
const sourceFolders = ['apps/local', ...['keynode', 'provider', 'storage'].map((name) => `services/${name}`)].concat(
  ['contracts', 'crypto', 'names', 'pieces', 'protocol', 'service', 'unixfs'].map((name) => `packages/${name}`),
)

/**
 * Returns the program of a network as a bundle of the sources as they are now, which starts in a third of the time and
 * needs half the memory. Builds it if no earlier start did. One process builds at a time, the others wait.
 * @returns undefined without the bundler; the network then runs from its sources
 */
export async function openNetworkBundle(signal?: AbortSignal): Promise<string | undefined> {
  const bundles = join(project, '.cache', 'network')
  const folder = join(bundles, keyOfSources())
  const program = join(folder, 'network.js')
  if (!existsSync(program)) {
    if (!hasBundler()) return undefined
    using _lock = await lockBuild(join(bundles, 'build.lock'), signal)
    // Another process may have built it meanwhile.
    if (!existsSync(program)) await buildInto(folder, signal)
    await removeOld(bundles, folder)
  }
  await markUsed(folder)
  return program
}

/**
 * Marks the bundle of a program as used while this process runs: it loads files of the bundle later, which a start from
 * other sources would otherwise remove after a day.
 */
export function keepNetworkBundle(program: string): void {
  const mark = () => {
    // The next attempt follows long before a day has passed.
    markUsed(dirname(program)).catch(() => undefined)
  }
  setInterval(mark, markEveryMs).unref()
}

async function markUsed(folder: string): Promise<void> {
  const now = new Date()
  await utimes(folder, now, now)
}

async function buildInto(folder: string, signal: AbortSignal | undefined): Promise<void> {
  // Renamed when complete, so that no start sees half of it.
  const fresh = `${folder}-${process.pid}`
  try {
    await runBuild(fresh, signal)
    await rename(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function runBuild(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, builder, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  endWithThisProcess(child)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000)
  })
  const end = () => void endProcess(child, () => child.kill('SIGTERM'), endTimeoutMs)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const [code] = await once(child, 'close')
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (code !== 0) throw new CairnError('INTERNAL', { message: `Cannot bundle the network: ${output.trim()}` })
}

/** Returns the hash of everything that goes into the bundle: all sources, and the versions of the packages. */
function keyOfSources(): string {
  const hash = createHash('sha256')
  const files = sourceFolders.flatMap((folder) => listSources(join(project, folder, 'src')))
  for (const path of [...files.sort(), join(project, 'package-lock.json')]) {
    const content = readFileSync(path)
    hash.update(`${relative(project, path)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:test|suite|fixture)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

function hasBundler(): boolean {
  try {
    return findPackageJSON('rolldown', import.meta.url) !== undefined
  } catch {
    // It is not installed.
    return false
  }
}

async function removeOld(bundles: string, current: string): Promise<void> {
  for (const entry of await readdir(bundles, { withFileTypes: true })) {
    const path = join(bundles, entry.name)
    if (!entry.isDirectory() || path === current) continue
    if (Date.now() - (await stat(path)).mtimeMs > keptMs) await rm(path, { recursive: true, force: true })
  }
}
