import { type ErrorCode, errorTable, restoreError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { exitCodeOf, exitCodes } from '../../packages/cli/src/exit-codes.ts'

// The promise of docs/how-to/cli.md about an error category applies to every code in it, including codes added later.
const byStatus: Record<number, number> = {
  401: exitCodes.authentication,
  402: exitCodes.payment,
  403: exitCodes.authentication,
  404: exitCodes.notFound,
  408: exitCodes.network,
  429: exitCodes.network,
  502: exitCodes.network,
  503: exitCodes.network,
}

const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable)

test.each(codes)('%s ends with a documented code that fits its status', (code) => {
  const exit = exitCodeOf(restoreError(code))
  expect(Object.values(exitCodes)).toContain(exit)
  expect(exit).not.toBe(exitCodes.ok)
  const wanted = byStatus[errorTable[code].status]
  if (wanted !== undefined) expect(exit).toBe(wanted)
})

test('only what was asked to stop ends as interrupted', () => {
  expect(codes.filter((code) => exitCodeOf(restoreError(code)) === exitCodes.interrupted)).toEqual(['ABORTED'])
})
