// `npm run build`: the published packages as JavaScript and types, and the web console. Services and tests run from their
// sources.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildConsole } from '@cairn/local'

const root = resolve(import.meta.dirname, '..')
for (const name of readdirSync(join(root, 'packages'))) {
  rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true })
  rmSync(join(root, 'packages', name, 'tsconfig.tsbuildinfo'), { force: true })
}
const done = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-b', 'packages/cli'], {
  cwd: root,
  stdio: 'inherit',
})
if (done.status !== 0) process.exit(done.status ?? 1)
await buildConsole()
