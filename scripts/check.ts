// `npm run check`: everything that needs no running service. Steps run in parallel as soon as their inputs are there. Each
// prints its time, and the first failure ends the run.
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { cleanPackages } from './published-packages.ts'

const root = resolve(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const node = [process.execPath, '--conditions=@cairn/source']
const running = new Set<ChildProcess>()
/** The compiler collects memory less often: a third less processor time, at 2 GB. */
const env = { GOGC: '400', ...process.env }

async function step(name: string, ...[command = '', ...args]: string[]): Promise<void> {
  const started = performance.now()
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done))
  running.delete(child)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (code === 0) {
    console.log(`ok    ${name} (${seconds} s)`)
    return
  }
  for (const other of running) other.kill()
  console.error(output)
  console.error(`FAIL  ${name} (${seconds} s): ${command} ${args.join(' ')}`)
  process.exit(1)
}

/** Each checker resolves shared types separately: more checkers than cores repeat work. */
const checkers = String(Math.min(availableParallelism(), 4))

cleanPackages()
const types = step('types', bin('tsc'), '-b', '--checkers', checkers)
await Promise.all([
  types,
  step('format, lint, walls', bin('biome'), 'ci', '--error-on-warnings', '.'),
  step('rooms', ...node, 'scripts/check-rooms.ts'),
  step('language', ...node, 'scripts/check-language.ts'),
  step('regular expressions', ...node, 'scripts/check-regexes.ts'),
  step('console', ...node, 'scripts/build-console.ts'),
  // These need the built packages.
  types.then(() => step('dead code and dependencies', bin('knip'))),
  types.then(() => step('faces of packages', ...node, 'scripts/check-faces.ts')),
])
