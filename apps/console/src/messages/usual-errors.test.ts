import { serviceErrors } from '@cairn/protocol/service-errors'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('a page in another language has the texts of all errors, including those that only services create', async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('usual-errors.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser', '@cairn/source'],
    write: false,
  })
  const script = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  const page: typeof import('./usual-errors.ts') = await import(`data:text/javascript;base64,${script}`)
  expect(page.usualError('INVALID_CID').message).toBe('Invalid CID')
  expect(page.usualError('PIN_LIMIT')).not.toEqual(serviceErrors.PIN_LIMIT)
  await page.loadUsualErrors()
  expect(page.usualError('PIN_LIMIT')).toEqual(serviceErrors.PIN_LIMIT)
  expect(page.usualError('INVALID_CID').message).toBe('Invalid CID')
})
