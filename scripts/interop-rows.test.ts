import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ringRows } from '../tests/interop/ring-rows.ts'

const root = join(import.meta.dirname, '..')

test('a row runs each file of tests/interop', () => {
  const files = readdirSync(join(root, 'tests/interop')).filter((name) => name.endsWith('.test.ts'))
  expect([...new Set(ringRows.flatMap((row) => row.files))].sort()).toEqual(files.sort())
})

test('docs/compatibility.md has a result for each row, and no other', () => {
  const page = readFileSync(join(root, 'docs/compatibility.md'), 'utf8')
  const [, printed = ''] = page.split('ring-rows.ts, not these lines. -->')
  const [table = ''] = printed.split('<!-- End of the printed lines. -->')
  const programs = [...table.matchAll(/^\| (.+?) \| .*\d{4}-\d{2}-\d{2} \|$/gm)].map(([, program]) => program)
  expect(programs.sort()).toEqual(ringRows.map(({ program }) => program).sort())
})
