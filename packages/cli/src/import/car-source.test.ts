import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCarSource } from './car-source.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-cars-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a search of a large folder for CARs ends when it is interrupted', async () => {
  mkdirSync(join(folder, 'deep', 'deeper'), { recursive: true })
  const list = (signal: AbortSignal) =>
    Array.fromAsync(createCarSource('cars', [folder], [], false, () => undefined).items(signal))
  await expect(list(new AbortController().signal)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  await expect(list(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})

test('a folder may have more CARs than a call takes arguments', async () => {
  const many = join(folder, 'many')
  const count = 130_000
  mkdirSync(many)
  for (let i = 0; i < count; i++) writeFileSync(join(many, `${i}.car`), '')
  const stop = new AbortController()
  const steps: string[] = []
  const { items } = createCarSource('cars', [many], [], false, (text) => {
    steps.push(text)
    // Found; none is read.
    stop.abort()
  })
  await expect(Array.fromAsync(items(stop.signal))).rejects.toMatchObject({ name: 'AbortError' })
  expect(steps).toEqual(['130,000 CARs'])
})
