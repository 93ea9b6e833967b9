// `npm run build`: the published packages as JavaScript and types, and the web console. Services and tests run from their
// sources.
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { buildConsole } from '@cairn/local'
import { cleanPackages } from './clean-packages.ts'

const root = resolve(import.meta.dirname, '..')
cleanPackages()
const done = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-b', 'packages/cli'], {
  cwd: root,
  stdio: 'inherit',
})
if (done.status !== 0) process.exit(done.status ?? 1)
await buildConsole()
