import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCarSource } from './car-source.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-cars-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('interrupting a search of a large folder for CARs stops it', async () => {
  mkdirSync(join(folder, 'deep', 'deeper'), { recursive: true })
  const list = (signal: AbortSignal) =>
    Array.fromAsync(createCarSource('cars', [folder], [], false, () => undefined).items(signal))
  await expect(list(new AbortController().signal)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  await expect(list(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})
