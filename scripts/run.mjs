// The door for `npm start`, `npm test` and the rest: installs what the lockfile names when it is not there,
// finds Node 24 (brought as a platform package where the machine's own is older), and runs the given program on it.
// Plain JavaScript for Node 20: it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const wantedMajor = 24

function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(root, 'node_modules', '.cairn-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const release = takeLock()
  try {
    installOnce(lock, stamp)
  } finally {
    release()
  }
}

function installOnce(lock, stamp) {
  // Another one may have done it while this one waited.
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  // A tree that npm itself brought up to the lockfile counts as well.
  const own = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(own) || statSync(own).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs) {
    process.stderr.write('Installing dependencies (once)…\n')
    rmSync(stamp, { force: true })
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const done = spawnSync(npm, ['ci', '--ignore-scripts', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    })
    if (done.status !== 0) {
      process.stderr.write('npm ci failed; see above.\n')
      process.exit(done.status ?? 1)
    }
  }
  writeFileSync(stamp, lock)
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

function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= wantedMajor) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  const bundled = join(root, 'node_modules', `node-${platform}-${process.arch}`, 'bin', file)
  if (existsSync(bundled)) return bundled
  process.stderr.write(
    `Cairn needs Node ${wantedMajor} or newer. This is Node ${process.versions.node}, and there is no platform package for ${platform}-${process.arch}. Install Node ${wantedMajor} and try again.\n`,
  )
  process.exit(1)
}

install()
const [target = '', ...rest] = process.argv.slice(2)
const programs = { vitest: ['node_modules/vitest/vitest.mjs', 'run'] }
const [program = '', ...fixed] = programs[target] ?? [target]
const node = findNode()
const child = spawn(
  node,
  ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', join(root, program), ...fixed, ...rest],
  {
    stdio: 'inherit',
    // Whatever the program starts finds the same Node first, and what Node made of our sources before.
    env: {
      NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
      ...process.env,
      PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
    },
  },
)
// Ctrl-C reaches the whole foreground group; what is sent to this process alone is handed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
