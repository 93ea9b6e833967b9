/**
 * `npm run interop`: runs the tests with real programs, and prints one line per program. A program that is not installed
 * is skipped with the reason. `-- --record` writes the lines into docs/compatibility.md, `-- NAME…` selects programs whose name
 * contains NAME.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { interopFolder } from './binaries.ts'
import { type RingRow, ringFile, ringRows } from './ring-rows.ts'
import { printRing, type RingResult } from './ring-table.ts'

const root = resolve(import.meta.dirname, '../..')
const page = join(root, 'docs/compatibility.md')
const report = join(interopFolder, 'report.json')

const reportSchema = v.object({
  testResults: v.array(
    v.object({
      name: v.string(),
      assertionResults: v.array(
        v.object({
          title: v.string(),
          status: v.string(),
          meta: v.optional(v.object({ result: v.optional(v.string()) })),
        }),
      ),
    }),
  ),
})
type Report = v.InferOutput<typeof reportSchema>

/** Runs test files, each combination once. */
const runTests = memoize((files: string): Report => {
  mkdirSync(interopFolder, { recursive: true })
  rmSync(report, { force: true })
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = ['run', '--project', 'interop', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const paths = files.split(' ').map(ringFile)
  spawnSync(process.execPath, [...process.execArgv, vitest, ...args, ...paths], { cwd: root, stdio: 'inherit' })
  // Without a report, the test runner ended before its tests.
  if (!existsSync(report)) return { testResults: [] }
  return v.parse(reportSchema, JSON.parse(readFileSync(report, 'utf8')))
})

function memoize(run: (key: string) => Report): (key: string) => Report {
  const done = new Map<string, Report>()
  return (key) => {
    const result = done.get(key) ?? run(key)
    done.set(key, result)
    return result
  }
}

function resultOf(row: RingRow): RingResult {
  const skipped = row.whyNot()
  if (skipped !== undefined) return { row, outcome: 'skipped', text: `not run: ${skipped}` }
  const tests = runTests(row.files.join(' '))
    .testResults.filter(({ name }) => row.files.includes(basename(name)))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title, status }) => status !== 'skipped' && (row.only === undefined || title.includes(row.only)))
  const passed = tests.filter(({ status }) => status === 'passed').length
  // A file that does not load, or a network that does not start, has no passed test.
  const isPassed = tests.length > 0 && passed === tests.length
  const counted = tests.flatMap(({ meta }) => meta?.result ?? [])
  return { row, outcome: isPassed ? 'passed' : 'failed', text: counted.at(-1) ?? `${passed} of ${tests.length}` }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false } },
})
const rows = ringRows.filter(
  ({ program }) =>
    positionals.length === 0 || positionals.some((name) => program.toLowerCase().includes(name.toLowerCase())),
)
if (rows.length === 0) {
  console.error(`No program has this name. There are: ${ringRows.map(({ program }) => program).join('; ')}`)
  process.exit(2)
}
const results: RingResult[] = []
for (const row of rows) {
  const result = resultOf(row)
  results.push(result)
  // Prints each line as soon as it is available, because a run takes long.
  if (values.record) writeFileSync(page, printRing(readFileSync(page, 'utf8'), [result], new Date()))
}
for (const { row, outcome, text } of results) {
  console.log(`${outcome.padEnd(8)} ${row.program}${outcome === 'skipped' ? '' : ` ${row.version()}`}: ${text}`)
}
if (values.record) console.log('Written to docs/compatibility.md')
process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
