// Runs failed test files once more, in their own process, and reports which were unreliable. For CI: a test that
// fails one run in hundreds is a defect to fix, but does not block an unrelated change.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** More failed files than this are not a coincidence. */
const maxFiles = 4

/** Returns the files to rerun from a list that `tests/failed-files.ts` wrote; undefined if a rerun would show nothing. */
export function chooseFiles(list: string): string[] | undefined {
  const files = list.split('\n').filter((line) => line !== '')
  return files.length > 0 && files.length <= maxFiles ? files : undefined
}

function main(list: string | undefined): number {
  const files = list !== undefined && existsSync(list) ? chooseFiles(readFileSync(list, 'utf8')) : undefined
  if (files === undefined) return 1
  const names = files.join(', ')
  console.error(`\nRunning the files that failed again: ${names}\n`)
  const run = spawnSync('npm', ['run', 'test:all', '--', ...files], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (run.error !== undefined) throw run.error
  if (run.status !== 0) return 1
  console.error(`\nUNRELIABLE: failed, then passed alone: ${names}. Find the cause and fix it.`)
  return 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(main(process.argv[2]))
