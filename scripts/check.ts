// `npm run check`: everything that needs no running service. Each step prints its time; the first failure ends it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const published = ['protocol', 'unixfs', 'crypto', 'pieces', 'names', 'contracts', 'sdk', 'cli']

function step(name: string, command: string, args: string[], cwd = root): void {
  const started = performance.now()
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (done.status === 0) {
    console.log(`ok    ${name} (${seconds} s)`)
    return
  }
  console.log(done.stdout)
  console.error(done.stderr)
  console.error(`FAIL  ${name} (${seconds} s): ${command} ${args.join(' ')}`)
  process.exit(1)
}

step('types', bin('tsc'), ['-b'])
step('format, lint, walls', bin('biome'), ['ci', '--error-on-warnings', '.'])
step('dead code and dependencies', bin('knip'), [])
step('build', process.execPath, ['--conditions=@cairn/source', 'scripts/build.ts'])

// What a published package shows its users, seen in the archive that would be published.
const packs = mkdtempSync(join(tmpdir(), 'cairn-packs-'))
try {
  for (const name of published) {
    const folder = join(root, 'packages', name)
    step(`faces of ${name}: publint`, bin('publint'), ['--strict', '--pack', 'npm'], folder)
    const archive = spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packs], {
      cwd: folder,
      encoding: 'utf8',
    })
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const hasTypes = typeof manifest === 'object' && manifest !== null && 'exports' in manifest
    if (hasTypes) {
      step(`faces of ${name}: types resolve`, bin('attw'), [
        '--profile',
        'esm-only',
        join(packs, archive.stdout.trim()),
      ])
    }
  }
} finally {
  rmSync(packs, { recursive: true, force: true })
}
