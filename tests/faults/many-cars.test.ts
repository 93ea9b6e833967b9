// A folder of CARs with more files than a call takes arguments.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCarSource } from '../../packages/cli/src/import/car-source.ts'

const count = 130_000
const folder = mkdtempSync(join(tmpdir(), 'cairn-many-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a folder can have more CARs than a call takes arguments', async () => {
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `${i}.car`), '')
  const stop = new AbortController()
  const steps: string[] = []
  const { items } = createCarSource('cars', [folder], [], false, (text) => {
    steps.push(text)
    // Found, but none is read.
    stop.abort()
  })
  await expect(Array.fromAsync(items(stop.signal))).rejects.toMatchObject({ name: 'AbortError' })
  expect(steps).toEqual([`${count} CARs`])
})
