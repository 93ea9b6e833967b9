import { expect, test } from 'vitest'
import { overallProgress } from './overall-progress.ts'

test('the whole is counted in bytes, so that a small file does not weigh as much as a large one', () => {
  expect(overallProgress([])).toBe(0)
  expect(
    overallProgress([
      { bytes: 100, totalBytes: 100 },
      { bytes: 0, totalBytes: 300 },
    ]),
  ).toBe(0.25)
})

test('work without bytes counts as half done, and nothing is ever more than whole', () => {
  expect(overallProgress([{ bytes: 0, totalBytes: undefined }])).toBe(0.5)
  expect(overallProgress([{ bytes: 400, totalBytes: 300 }])).toBe(1)
})
