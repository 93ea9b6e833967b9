import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

// Each row is a forbidden line; its rule must report it.
const rows = [
  ['protocol does no I/O', 'packages/protocol/src/a.ts', "import 'node:fs'", 'noRestrictedImports'],
  ['protocol imports nothing of ours', 'packages/protocol/src/b.ts', "import '@cairn/sdk'", 'noRestrictedImports'],
  ['unixfs does no I/O', 'packages/unixfs/src/a.ts', "import 'node:fs'", 'noRestrictedImports'],
  ['names does no I/O', 'packages/names/src/a.ts', "import 'node:fs'", 'noRestrictedImports'],
  ['pieces does no I/O', 'packages/pieces/src/a.ts', "import 'node:fs'", 'noRestrictedImports'],
  ['crypto does no I/O', 'packages/crypto/src/a.ts', "import 'node:fs'", 'noRestrictedImports'],
  [
    'a capability has one face',
    'services/storage/src/uploads/a.ts',
    "import '../accounts/store.ts'",
    'noRestrictedImports',
  ],
  [
    'routes belong to their capability',
    'services/storage/src/uploads/b.ts',
    "import '../accounts/routes.ts'",
    'noRestrictedImports',
  ],
  ['services do not use the SDK', 'services/storage/src/uploads/c.ts', "import '@cairn/sdk'", 'noRestrictedImports'],
  [
    'services do not use each other',
    'services/keynode/src/shards/a.ts',
    "import '@cairn/storage'",
    'noRestrictedImports',
  ],
  [
    'providers do not use other services',
    'services/provider/src/pieces/a.ts',
    "import '@cairn/keynode'",
    'noRestrictedImports',
  ],
  ['the frame knows no service', 'packages/service/src/a.ts', "import '@cairn/crypto'", 'noRestrictedImports'],
  [
    'the command line goes through the SDK',
    'packages/cli/src/a.ts',
    "import '@cairn/storage'",
    'noUndeclaredDependencies',
  ],
  ['the console goes through the SDK', 'apps/console/src/a.ts', "import '@cairn/crypto'", 'noRestrictedImports'],
  ['only declared dependencies', 'packages/sdk/src/a.ts', "import 'fastify'", 'noUndeclaredDependencies'],
  [
    'only config.ts reads the environment',
    'services/storage/src/uploads/d.ts',
    'export const home = process.env.HOME',
    'noProcessEnv',
  ],
] as const

let folder = ''
let output = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-walls-'))
  for (const name of ['biome.json', '.gitignore', 'package.json']) cpSync(join(root, name), join(folder, name))
  for (const [, path, source] of rows) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${source}\n`)
    const workspace = path.split('/').slice(0, 2).join('/')
    cpSync(join(root, workspace, 'package.json'), join(folder, workspace, 'package.json'))
  }
  const biome = join(root, 'node_modules', '.bin', 'biome')
  const done = spawnSync(biome, ['lint', '--max-diagnostics=none', '--colors=off', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  output = done.stdout + done.stderr
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(rows)('%s', (_promise, path, _source, rule) => {
  const found = output.split('\n').some((line) => line.startsWith(path) && line.includes(rule))
  expect(found, output).toBe(true)
})
