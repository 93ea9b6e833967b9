// The frame of every page: keys, the palette, the network that is gone, addresses that lead nowhere.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startUpload } from './start-upload.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function openSignedIn(): Promise<ConsolePage> {
  const opened = await site.newPage()
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByText('Nothing here yet').waitFor()
  return opened
}

test('without a network the page says so, keeps what it shows, and goes on when it is back', async () => {
  const { page, context, expectProblem } = await openSignedIn()
  // The bell asks for events, and its code is loaded after the page.
  await page.getByRole('button', { name: /notification/i }).waitFor()
  expectProblem(/ERR_INTERNET_DISCONNECTED/)
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page.getByText('Nothing here yet').waitFor()
  await context.setOffline(false)
  await page.getByText('You are offline').waitFor({ state: 'detached' })
})

test('keys go about: help, places, nothing while typing, nothing where switched off', async () => {
  const { page, problems, checkAccessibility } = await openSignedIn()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('u')
  await page.waitForURL(/\/files\?q=u/)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Clear search', exact: true }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('checkbox', { name: /^Single-letter shortcuts/ }).uncheck()
  await page.keyboard.press('u')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(problems).toEqual([])
})

test('Ctrl+K finds files, pages and actions by the keyboard, on a phone by a button, and returns the focus', async () => {
  const { page, problems, checkAccessibility } = await openSignedIn()
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', {
    name: 'loose.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('loose'),
  })
  await startUpload(page, 'public')
  const link = page.getByRole('link', { name: 'loose.txt' })
  await link.waitFor()
  await link.focus()
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  const field = palette.getByRole('combobox', { name: 'File, page or action' })
  const chosen = palette.getByRole('option', { selected: true })
  await page.keyboard.press('Control+k')
  await palette
    .getByRole('group', { name: 'Recent files' })
    .getByRole('option', { name: /loose\.txt/ })
    .waitFor()
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  expect(await link.evaluate((one) => one === document.activeElement)).toBe(true)
  // A page, with the arrows.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('the')
  await expect.poll(() => chosen.textContent()).toBe('Theme: Light')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => chosen.textContent()).toBe('Theme: System')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  await palette.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('nothing of this name')
  await palette.getByText('No results', { exact: true }).waitFor()
  await field.fill('prov')
  await palette.getByText('No results', { exact: true }).waitFor()
  await field.fill('names')
  await page.keyboard.press('Enter')
  await page.getByText('No names yet').waitFor()
  // Below 640 px, from the bottom bar; a file that the service finds.
  await page.setViewportSize({ width: 360, height: 700 })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Search and commands' }).click()
  await field.fill('loo')
  await palette
    .getByRole('group', { name: 'Files' })
    .getByRole('option', { name: /loose\.txt/ })
    .waitFor()
  expect(await checkAccessibility()).toEqual([])
  await palette.getByRole('option', { name: /loose\.txt/ }).click()
  await page.getByRole('dialog', { name: 'loose.txt' }).waitFor()
  expect(problems).toEqual([])
})

test('an address that leads nowhere inside the console says so', async () => {
  const { page, problems, open, signIn, checkAccessibility } = await site.newPage()
  await open('/names/x/y/z')
  await signIn()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('link', { name: 'Go to your files' }).click()
  await page.getByText('Nothing here yet').waitFor()
  expect(problems).toEqual([])
})
