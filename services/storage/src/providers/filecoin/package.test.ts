import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { requireFilecoinPackage } from './package.ts'

test('rejects a Filecoin storage provider without its package, with the command that installs it', () => {
  expect(() => requireFilecoinPackage()).not.toThrow()
  const elsewhere = pathToFileURL('/no/such/folder/program.ts').href
  expect(() => requireFilecoinPackage(elsewhere)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIGURATION',
      hint: expect.stringContaining('npm run add -- filecoin'),
    }),
  )
})
