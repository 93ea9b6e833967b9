import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deriveMaxConnections, deriveMaxPerAddress, readFileLimit } from './file-limit.ts'

it('reads the soft limit, and assumes 1,024 if the system does not report one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-limits-'))
  const path = join(folder, 'limits')
  const limitsOf = (soft: string) =>
    `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             100                  100                  processes \nMax open files            ${soft}                  4096                 files     \n`
  try {
    writeFileSync(path, limitsOf('256'))
    expect(readFileLimit(path)).toBe(256)
    writeFileSync(path, limitsOf('unlimited'))
    expect(readFileLimit(path)).toBe(1024)
    expect(readFileLimit(join(folder, 'absent'))).toBe(1024)
    expect(readFileLimit()).toBeGreaterThan(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it.each([
  [256, 2, 32],
  [256, 1, 64],
  [1024, 2, 224],
  [20_000, 2, 4968],
  [1_048_576, 1, 10_000],
  [64, 1, 16],
])('at %i open files and %i listeners each takes %i connections', (fileLimit, listeners, connections) => {
  expect(deriveMaxConnections(fileLimit, listeners)).toBe(connections)
})

it('gives one address a quarter of them, at most 512', () => {
  expect([32, 224, 4968, 2].map(deriveMaxPerAddress)).toEqual([8, 56, 512, 1])
})
