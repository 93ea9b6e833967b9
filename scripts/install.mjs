// Installs what a program needs and no more, from the lockfile. Plain JavaScript for Node 20: it runs before anything is
// installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
/** What npm itself notes of the tree that it made. */
const treeFile = join(modules, '.package-lock.json')
/** What this script notes: for which lockfile and tree, and which sets were installed. */
const stampFile = join(modules, '.cairn-installed')

/** Sets of packages by the workspaces that need them. `all` is every workspace with the tools of development and tests. */
const workspacesOf = {
  network: ['apps/local', 'apps/console', 'packages/cli'],
  node: ['optional/node'],
  filecoin: ['optional/filecoin'],
  'wallet-connect': ['optional/wallet-connect'],
}

/** Sets that are added by name. */
export const addable = ['filecoin', 'wallet-connect']

/** Installs the sets that are not there yet, and repairs a tree that is not whole. What was added by name stays. */
export function install(sets) {
  if (isInstalled(sets)) return
  const release = takeLock()
  try {
    // Another one may have done it while this one waited.
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
  const what = sets.includes('all') ? 'everything, with the tools of development and tests' : 'what a network needs'
  process.stderr.write(`Installing ${what}${added.join('')} (once)…\n`)
  if (!existsSync(modules)) runNpm(['ci', ...choose(sets)])
  else {
    // npm believes its own note before the disk.
    if (known === undefined || !isWhole(known)) rmSync(treeFile, { force: true })
    // Nothing that a running network uses is taken away and put back, as `npm ci` does.
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
  // Optional peers would be taken along where another workspace happens to have them: compilers, bundlers, whole clients.
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
  process.stderr.write(`npm ${args[0]} failed: ${reason}. Run it again: what is there is kept.\n`)
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

/** A tree that npm itself brought up to the lockfile counts as well. */
function holdsEverything(tree) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages ?? {}
  return Object.entries(lock).every(
    ([path, entry]) => path === '' || entry.optional || (path in tree && tree[path].version === entry.version),
  )
}

/** Whether every package that npm noted is on the disk: a copy that was cut off is not. */
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
    // It is not there, or was cut off.
    return undefined
  }
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Takes away what nothing here reads: C headers and manuals of Node, and source maps. They are a third of all bytes. */
function trim() {
  for (const name of readdirSync(modules).filter((one) => one.startsWith('node-'))) {
    for (const part of ['include', 'share']) rmSync(join(modules, name, part), { recursive: true, force: true })
  }
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.map')) rmSync(join(entry.parentPath ?? entry.path, entry.name))
  }
}

/** Two that install into one tree leave it broken: the second waits for the first, unless that one is gone. */
function takeLock() {
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
    // It is empty between its making and its writing.
    return holder > 0 ? !isAlive(holder) : Date.now() - statSync(path).mtimeMs > 10_000
  } catch {
    // It was given back meanwhile.
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
