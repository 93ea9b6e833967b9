import type { RingRow } from './ring-rows.ts'

/** The result of one program. */
export type RingResult = { row: RingRow; outcome: 'passed' | 'failed' | 'skipped'; text: string }

const begin = '<!-- Printed by `npm run interop -- --record`: change tests/interop/ring-rows.ts, not these lines. -->'
const end = '<!-- End of the printed lines. -->'
const head = '| program | version | scope | result | last run |\n|---|---|---|---|---|'

/**
 * Returns the page with the rows of these results. Rows of programs that did not run keep their content and date.
 * @throws Error if the page has no place for them
 */
export function printRing(page: string, results: readonly RingResult[], now: Date): string {
  const start = page.indexOf(begin)
  const stop = page.indexOf(end)
  if (start < 0 || stop < start) throw new Error('The page has no markers for the printed lines')
  const before = page.slice(start + begin.length, stop)
  const kept = before.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| program |'))
  const byProgram = new Map(kept.map((line) => [line.split(' | ')[0], line]))
  for (const { row, outcome, text } of results) {
    const key = `| ${row.program}`
    if (outcome === 'skipped' && byProgram.has(key)) continue
    const version = outcome === 'skipped' ? '–' : row.version()
    const result = [text, outcome === 'skipped' ? undefined : row.note].filter((one) => one !== undefined).join(': ')
    const date = outcome === 'skipped' ? '–' : now.toISOString().slice(0, 10)
    byProgram.set(key, `${key} | ${version} | ${row.scope} | ${result} | ${date} |`)
  }
  const lines = [...byProgram.values()].join('\n')
  return `${page.slice(0, start)}${begin}\n\n${head}\n${lines}\n\n${page.slice(stop)}`
}
