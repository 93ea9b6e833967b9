import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { exitCodeOf, exitCodes, explainFailure } from './run-service.ts'

/** An error as the system reports it. */
const failed = (code: string, more: object = {}) => Object.assign(new Error(code), { code, syscall: 'open', ...more })

test.each([
  [failed('ENOSPC', { path: '/data/tmp' }), 'The disk of /data/tmp is full'],
  [failed('EDQUOT'), 'The disk is full'],
  [new CairnError('STORAGE_FULL'), 'The disk is full'],
])('reports a full disk as a condition that may pass', (error, text) => {
  expect(explainFailure(error)).toMatch(new RegExp(`^${text}\nFree some space`))
  expect(exitCodeOf(error)).toBe(exitCodes.failed)
})

test('reports a folder at the path of a file', () => {
  const folder = mkdtempSync(`${tmpdir()}/cairn-run-`)
  try {
    readFileSync(folder)
    expect.unreachable()
  } catch (error) {
    expect(explainFailure(Object.assign(error as Error, { path: folder }))).toContain(`${folder} is a folder (EISDIR)`)
    expect(exitCodeOf(error)).toBe(exitCodes.needsOperator)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
