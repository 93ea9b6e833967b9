// A browser that stores file handles, unlike the packaged one: a dropped file can be read again after a reload.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from '../console/console.fixture.ts'
import { expectContinued, expectStored, openUploadPage, rowOf, startDropped } from '../console/upload-line.ts'
import { ownChromium } from '../has-chromium.ts'
import { requireProgram } from './require-program.ts'

const MiB = 1024 * 1024
let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  const executablePath = ownChromium ?? requireProgram('chromium', 'chromium')
  site = await openConsoleTest({ executablePath })
  folder = await mkdtemp(join(tmpdir(), 'cairn-dropped-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  if (folder !== '') await rm(folder, { recursive: true, force: true })
})

test('reads a dropped file again through the browser, after one click at most', async () => {
  const opened = await openUploadPage(site)
  const { page, line } = opened
  const path = join(folder, 'dropped.bin')
  const bytes = randomBytes(72 * MiB)
  await writeFile(path, bytes)
  await line.slow(16 * MiB)
  await startDropped(opened, path)
  await line.untilStored(24 * MiB)
  await page.reload()
  await rowOf(page, 'dropped.bin').waitFor()
  // The browser decides whether it asks; the file never has to be chosen again.
  const goOn = page.getByRole('button', { name: 'Continue dropped.bin' })
  await goOn
    .or(page.getByRole('link', { name: 'dropped.bin' }))
    .first()
    .waitFor({ timeout: 60_000 })
  if (await goOn.isVisible()) await goOn.click()
  await expectStored(site, page, 'dropped.bin', bytes)
  expectContinued(line, 24 * MiB)
})
