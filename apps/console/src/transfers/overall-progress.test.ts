import { expect, test } from 'vitest'
import { overallProgress } from './overall-progress.ts'

test('weighs uploads by bytes, so that a small file counts less than a large one', () => {
  expect(overallProgress([])).toBe(0)
  expect(
    overallProgress([
      { bytes: 100, totalBytes: 100 },
      { bytes: 0, totalBytes: 300 },
    ]),
  ).toBe(0.25)
})

test('counts work without bytes as half done, and never exceeds the total', () => {
  expect(overallProgress([{ bytes: 0, totalBytes: undefined }])).toBe(0.5)
  expect(overallProgress([{ bytes: 400, totalBytes: 300 }])).toBe(1)
})
