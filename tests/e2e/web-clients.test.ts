// Importing node:http loads fetch with all its dependencies, 14 MiB per process, so no program may start with it.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { programEnvironment } from '../program-environment.ts'

const root = resolve(import.meta.dirname, '../..')
const report = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => console.error('web clients:', process.moduleLoadList.some((name) => name.includes('undici'))))",
)}`

test.each([
  'services/storage/src/main.ts',
  'services/keynode/src/main.ts',
  'services/keynode/src/router/main.ts',
  'services/provider/src/main.ts',
  'packages/cli/src/bin.ts',
])('%s starts without the web clients of Node', (program) => {
  // Services reject the setting, the command line prints its help: by then, all modules are loaded.
  const { stderr } = spawnSync(
    process.execPath,
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', '--import', report, program, '--help'],
    { cwd: root, env: { ...programEnvironment, CAIRN_STORAGE_PORT: 'none' }, encoding: 'utf8', timeout: 60_000 },
  )
  expect(stderr).toContain('web clients: false')
})
