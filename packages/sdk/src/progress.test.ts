import { expect, test } from 'vitest'
import { createProgress, type Progress } from './progress.ts'

test('reports the last byte at once, however soon after another report', () => {
  const reports: Progress[] = []
  const progress = createProgress('send', 100, (report) => reports.push(report))
  progress.reach(0)
  progress.reach(99)
  progress.reach(100)
  expect(reports.at(-1)).toMatchObject({ bytes: 100, total: 100 })
  const { length } = reports
  progress.reach(100)
  expect(reports.length).toBeLessThanOrEqual(length + 1)
  progress.done()
  expect(reports.at(-1)).toMatchObject({ bytes: 100 })
})
