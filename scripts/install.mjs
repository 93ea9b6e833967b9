// Installs only what a program needs, from the lockfile. Plain JavaScript for Node 20: it runs before anything
// is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
/** The record that npm keeps of the installed tree. */
const treeFile = join(modules, '.package-lock.json')
/** The record of this script: lockfile, tree, and installed sets. */
const stampFile = join(modules, '.cairn-installed')

/** Sets of packages by the workspaces that need them. `all` is every workspace with the tools of development and tests. */
const workspacesOf = {
  network: ['apps/local', 'apps/console', 'packages/cli'],
  node: ['optional/node'],
  filecoin: ['optional/filecoin'],
  pictures: ['optional/pictures'],
  traces: ['optional/traces'],
  'wallet-connect': ['optional/wallet-connect'],
}

/** Sets that are installed by name. */
export const addable = ['filecoin', 'pictures', 'traces', 'wallet-connect']

/** Installs the missing sets, and repairs an incomplete tree. Keeps sets that were installed by name. */
export function install(sets) {
  if (isInstalled(sets)) return
  const release = acquireLock()
  try {
    // Another process may have installed them while this one waited.
    if (!isInstalled(sets)) installNow(sets)
  } finally {
    release()
  }
}

function installNow(wanted) {
  const kept = readStamp()?.sets ?? []
  const known = readTree()
  const hasTools = known !== undefined && Object.values(known).some((entry) => entry.dev)
  const sets = [...new Set([...wanted, ...kept, ...(hasTools ? ['all'] : [])])]
  const added = sets.filter((name) => addable.includes(name)).map((name) => `, ${name}`)
  const what = sets.includes('all')
    ? 'all dependencies, including development and test tools'
    : 'the dependencies of a network'
  process.stderr.write(`Installing ${what}${added.join('')} (once)…\n`)
  if (!existsSync(modules)) runNpm(['ci', ...choose(sets)])
  else {
    // npm trusts its own record more than the disk.
    if (known === undefined || !isWhole(known)) rmSync(treeFile, { force: true })
    // Unlike `npm ci`, never removes a package that a running network uses.
    runNpm(['install', '--no-save', ...choose(sets)])
    const tree = readTree()
    if (tree === undefined || !isWhole(tree)) runNpm(['ci', ...choose(sets)])
  }
  if (!sets.includes('all')) trim()
  writeFileSync(
    stampFile,
    JSON.stringify({ lock: hashOf(join(root, 'package-lock.json')), tree: hashOf(treeFile), sets }),
  )
}

function choose(sets) {
  if (sets.includes('all')) return []
  const workspaces = sets.flatMap((name) => workspacesOf[name])
  // Optional peers would be installed if another workspace happens to have them: compilers, bundlers, whole clients.
  return ['--omit=dev', '--legacy-peer-deps', ...workspaces.flatMap((workspace) => ['--workspace', workspace])]
}

function runNpm(args) {
  const isWindows = process.platform === 'win32'
  const done = spawnSync(isWindows ? 'npm.cmd' : 'npm', [...args, '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: isWindows,
  })
  if (done.status === 0) return
  const reason = done.error === undefined ? 'see above' : done.error.message
  process.stderr.write(`npm ${args[0]} failed: ${reason}. Run it again to continue.\n`)
  process.exit(done.status ?? 1)
}

function isInstalled(sets) {
  const tree = readTree()
  if (tree === undefined) return false
  const stamp = readStamp()
  const isOurs = stamp?.lock === hashOf(join(root, 'package-lock.json')) && stamp.tree === hashOf(treeFile)
  const has = isOurs && (stamp.sets.includes('all') || sets.every((name) => stamp.sets.includes(name)))
  return (has || holdsEverything(tree)) && isWhole(tree)
}

/** A tree that npm itself updated to the lockfile also counts. */
function holdsEverything(tree) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages ?? {}
  return Object.entries(lock).every(
    ([path, entry]) => path === '' || entry.optional || (path in tree && tree[path].version === entry.version),
  )
}

/** Returns whether every package in the record of npm is on disk: an interrupted copy is not. */
function isWhole(tree) {
  return Object.entries(tree).every(([path, { link }]) => existsSync(join(root, path, link ? '' : 'package.json')))
}

function readTree() {
  return readJson(treeFile)?.packages
}

function readStamp() {
  const stamp = readJson(stampFile)
  return Array.isArray(stamp?.sets) ? stamp : undefined
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // It is missing or truncated.
    return undefined
  }
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Folders at the root of packages whose files no program of a network reads: tests, manuals, examples, measurements. */
const unreadFolders = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'bench',
  'coverage',
  '.github',
])
/** The same in single packages: styles and builds that neither the console nor a program of a network uses. */
const unreadParts = {
  'highlight.js': ['scss', 'styles'],
  ox: ['_cjs'],
  'pdfjs-dist': ['build', 'image_decoders', 'web', 'legacy/image_decoders', 'legacy/web'],
  viem: ['_cjs'],
}
/**
 * Source maps, manuals, and TypeScript that a package ships beside its JavaScript. Declarations stay: editors read
 * them.
 */
const unreadFiles = /\.(?:map|md|markdown|flow)$|(?<!\.d)\.[cm]?ts$/
const licence = /^(?:licen[cs]e|copying|notice|patents)/i

/**
 * Removes what no program of a network reads, with the C headers and manuals of Node. A folder that a package links to
 * is never entered.
 */
function trim() {
  for (const name of readdirSync(modules).filter((one) => one.startsWith('node-'))) {
    for (const part of ['include', 'share']) rmSync(join(modules, name, part), { recursive: true, force: true })
  }
  for (const [name, parts] of Object.entries(unreadParts)) {
    for (const part of parts) rmSync(join(modules, name, part), { recursive: true, force: true })
  }
  trimFolder(modules)
}

function trimFolder(folder) {
  const isPackage = isPackageFolder(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (isPackage && unreadFolders.has(entry.name)) rmSync(path, { recursive: true })
      else trimFolder(path)
    } else if (entry.isFile() && unreadFiles.test(entry.name) && !licence.test(entry.name)) {
      rmSync(path)
    }
  }
}

/** Returns whether this is `node_modules/NAME` or `node_modules/@SCOPE/NAME`, at any depth. */
function isPackageFolder(folder) {
  if (basename(folder).startsWith('@')) return false
  const parent = dirname(folder)
  return basename(basename(parent).startsWith('@') ? dirname(parent) : parent) === 'node_modules'
}

/** Two concurrent installations break the tree: the second waits for the first, unless that process is gone. */
function acquireLock() {
  const path = join(root, '.cairn-install.lock')
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isLeftBehind(path)) rmSync(path, { force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
}

function isLeftBehind(path) {
  try {
    const holder = Number(readFileSync(path, 'utf8'))
    // The file is empty between its creation and its writing.
    return holder > 0 ? !isAlive(holder) : Date.now() - statSync(path).mtimeMs > 10_000
  } catch {
    // It was released meanwhile.
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
