// What holds for every page: readable by everybody in both themes and all accents, no sideways scroll, nothing in the console.
import { createClient, createName, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

const signedOut = ['/', '/files', '/shared', '/names', '/storage', '/proofs', '/keys', '/settings', '/status']

test.each([
  { width: 1280, height: 800, theme: 'light' as const },
  { width: 320, height: 640, theme: 'dark' as const },
])('no page has a finding of axe or a sideways scroll: $width px, $theme', async (options) => {
  const { page, problems, open, signIn, checkAccessibility } = await site.newPage(options)
  const check = async (path: string) => {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await expect.poll(() => page.locator('.animate-skeleton').count(), { timeout: 30_000 }).toBe(0)
    expect([path, await checkAccessibility()]).toEqual([path, []])
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect([path, overflow]).toEqual([path, 0])
  }
  for (const path of signedOut) {
    await open(path)
    await check(path)
  }
  await open('/files')
  await signIn()
  const { apiKey }: { apiKey: string } = JSON.parse(await page.evaluate("sessionStorage.getItem('cairn.session')"))
  const client = createClient({ network: site.network.profile, apiKey })
  const { cid } = await uploadText(client, 'some text', { name: `${'A very long name without an end '.repeat(6)}.txt` })
  const { name } = await createName(client)
  for (const path of [
    '/files',
    '/files?view=grid',
    '/files?q=nothing-fits-this',
    `/files/${cid}?tab=details`,
    `/open/${cid}`,
    '/shared',
    '/names',
    `/names/${name}`,
    '/storage',
    '/proofs',
    `/proofs/${cid}`,
    '/keys',
    '/settings',
    '/status',
  ]) {
    await open(path)
    await page.getByRole('button', { name: /^Account 0x/, includeHidden: true }).waitFor()
    if (path.startsWith('/files/')) {
      await page.getByRole('dialog').waitFor()
      expect([path, await checkAccessibility()]).toEqual([path, []])
    } else await check(path)
  }
  expect(problems).toEqual([])
})

test('each accent is readable in both themes, is there before the first paint, and stays after a reload', async () => {
  const { page, problems, open, signIn, checkAccessibility } = await site.newPage()
  await open('/settings')
  await signIn()
  for (const theme of ['Light', 'Dark']) {
    await page.getByText(theme, { exact: true }).click()
    for (const accent of ['Blue', 'Green', 'Orange', 'Pink', 'Purple', 'Red']) {
      await page.getByTitle(accent, { exact: true }).click()
      expect([theme, accent, await checkAccessibility()]).toEqual([theme, accent, []])
    }
  }
  await page.reload({ waitUntil: 'commit' })
  await page.waitForFunction('document.body !== null')
  expect(await page.evaluate('({ ...document.documentElement.dataset })')).toEqual({ theme: 'dark', accent: 'red' })
  expect(problems).toEqual([])
})
