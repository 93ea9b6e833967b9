// The list of files: order, filters, selection and names, and how files open over it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uploadBytes, uploadFolder, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { addRows } from './add-rows.ts'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { openWithFiles } from './files-page.ts'
import { createPageClient } from './page-client.ts'
import { readZip } from './read-zip.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-files-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('marks a name that changes its text direction, in the list and to recipients', async () => {
  const { page, open } = await openWithFiles(site, 0)
  const client = await createPageClient(site, page)
  const { cid } = await uploadText(client, 'not a text', { name: 'rtl-\u202Etxt.exe' })
  await page.reload()
  const shown = 'rtl-⟨U+202E⟩txt.exe'
  await page.getByRole('link', { name: shown, exact: true }).waitFor()
  await open(`/open/${cid}`)
  await page.getByRole('heading', { level: 1, name: shown, exact: true }).waitFor()
  expect(await page.title()).not.toContain('\u202E')
  expect(await page.getByText('\u202E').count()).toBe(0)
})

test('shows a new name at once, and the service keeps it', async () => {
  const { page, problems } = await openWithFiles(site, 2)
  await page.getByRole('link', { name: 'note-001.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  const name = page.getByRole('textbox', { name: 'New name' })
  // Typing replaces the name and keeps its extension.
  await expect.poll(() => name.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
  await page.keyboard.type('first')
  expect(await name.inputValue()).toBe('first.txt')
  await name.fill('  ')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByText('A name needs at least one character.').waitFor()
  await name.fill('renamed.md')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('link', { name: 'renamed.md' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'renamed.md' }).waitFor()
  expect(problems).toEqual([])
})

test('selects rows by click, Ctrl, Shift and the keyboard, and deletes the whole selection', async () => {
  const { page, open, problems } = await openWithFiles(site, 5)
  await open('/files?place=uploads')
  const row = (i: number) => page.getByRole('row').filter({ hasText: `note-00${i}.txt` })
  await row(4).click({ position: { x: 320, y: 20 } })
  await page.getByText('1 selected').waitFor()
  await row(2).click({ position: { x: 320, y: 20 }, modifiers: ['Shift'] })
  await page.getByText('3 selected').waitFor()
  await row(0).click({ position: { x: 320, y: 20 }, modifiers: ['Control'] })
  await page.getByText('4 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('4 selected').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+a')
  await page.getByText('5 selected').waitFor()
  await page.keyboard.press('Delete')
  await page.getByRole('heading', { name: 'Delete 5 uploads?' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Nothing here yet').waitFor()
  expect(problems).toEqual([])
})

test('keeps search, filters and order in the address, so that a link shows the same list', async () => {
  const { page, open, problems } = await openWithFiles(site, 3)
  await page.keyboard.press('/')
  await page.keyboard.type('note-001')
  await page.waitForURL(/q=note-001/)
  await expect.poll(() => page.getByRole('link', { name: /^note-/ }).count()).toBe(1)
  await open('/files?sort=fileName&order=asc')
  await expect
    .poll(() =>
      page
        .getByRole('link', { name: /^note-/ })
        .first()
        .textContent(),
    )
    .toBe('note-000.txt')
  await page.getByRole('button', { name: 'Encrypted', exact: true }).click()
  await page.getByRole('heading', { name: 'No matching files' }).waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await page.getByRole('link', { name: 'note-002.txt' }).waitFor()
  expect(problems).toEqual([])
})

test('shows files again as the user left them: as tiles, and in the chosen order', async () => {
  const { page, open } = await openWithFiles(site, 3)
  const names = () => page.getByRole('link', { name: /^note-/ }).allTextContents()
  const rail = page.getByRole('navigation', { name: 'Main' })
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await expect.poll(names).toEqual(['note-002.txt', 'note-001.txt', 'note-000.txt'])
  await page.getByRole('button', { name: 'Grid' }).click()
  await page.getByRole('gridcell').first().waitFor()
  // Tiles have no columns to click.
  await page.getByRole('button', { name: 'Sort, now by Name, descending' }).waitFor()
  await rail.getByRole('link', { name: 'Shared' }).click()
  await rail.getByRole('link', { name: 'Files', exact: true }).click()
  await page.getByRole('button', { name: 'Grid', pressed: true }).waitFor()
  expect(await names()).toEqual(['note-002.txt', 'note-001.txt', 'note-000.txt'])
  await open('/files')
  await page.getByRole('button', { name: 'Grid', pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Sort, now by Name, descending' }).click()
  await page.getByRole('menuitem', { name: 'Name' }).click()
  await expect.poll(names).toEqual(['note-000.txt', 'note-001.txt', 'note-002.txt'])
  // All uploads start with the newest, and a link shows what it says.
  await open('/files?place=uploads')
  await page.getByRole('button', { name: 'Sort, now by Added, descending' }).waitFor()
  await open('/files?sort=fileName&order=desc')
  await expect.poll(names).toEqual(['note-002.txt', 'note-001.txt', 'note-000.txt'])
  // A phone sorts by the same menu.
  await page.getByRole('button', { name: 'List' }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Sort, now by Name, descending' }).waitFor()
})

test('combines several filters, keeps them in the address, and applies them in the service', async () => {
  const { page, open, problems } = await openWithFiles(site, 1)
  const client = await createPageClient(site, page)
  await uploadBytes(client, new Uint8Array([0x89, 0x50, 0x4e, 0x47]), { name: 'ridge.png' })
  await uploadBytes(client, new Uint8Array([0x25, 0x50, 0x44, 0x46]), { name: 'contract.pdf' })
  await page.reload()
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const chip = (name: string) => page.getByRole('button', { name, exact: true })
  await link('contract.pdf').waitFor()
  await chip('Images').click()
  await link('contract.pdf').waitFor({ state: 'detached' })
  await chip('Text').click()
  await link('note-000.txt').waitFor()
  expect(new URL(page.url()).searchParams.get('type')).toBe('image,text')
  await chip('Public').click()
  await page.waitForURL(/access=public/)
  expect(await link('ridge.png').count()).toBe(1)
  await open('/files?type=image,document&access=public')
  await link('contract.pdf').waitFor()
  expect(await page.getByRole('link', { name: /^(note|ridge|contract)/ }).count()).toBe(2)
  expect(await chip('Images').getAttribute('aria-pressed')).toBe('true')
  await chip('Images').click()
  await link('ridge.png').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test.skipIf(isFirefox)(
  'on a phone, a tap opens a file, also as a tile, and once one is selected, taps add to the selection',
  async () => {
    const { page, wallet, open: visit, signIn } = await site.newPage({ isPhone: true, width: 390, height: 844 })
    const client = await createAccountClient(site.network, wallet.accounts[0])
    for (const name of ['a', 'b', 'c']) await uploadText(client, name, { name })
    await visit('/files?view=grid')
    await signIn()
    const tile = (name: string) =>
      page.getByRole('gridcell').filter({ has: page.getByRole('link', { name, exact: true }) })
    const open = page.getByRole('dialog', { name: 'b', exact: true })
    await tile('b').tap({ position: { x: 80, y: 60 } })
    await open.waitFor()
    await page.goBack()
    await open.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select a', exact: true }).tap()
    await page.getByText('1 selected').waitFor()
    await tile('b').tap({ position: { x: 80, y: 60 } })
    await page.getByRole('link', { name: 'c', exact: true }).tap()
    await page.getByText('3 selected').waitFor()
    await tile('b').tap({ position: { x: 80, y: 60 } })
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).tap()
    // A tap beside an open menu only closes it.
    await page.getByRole('button', { name: 'Actions for a', exact: true }).tap()
    await page.getByRole('menu').waitFor()
    await tile('b').tap({ position: { x: 120, y: 60 } })
    await page.getByRole('menu').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/files')
    await page.getByRole('button', { name: 'List', exact: true }).tap()
    await page
      .getByRole('row')
      .filter({ hasText: 'just now' })
      .nth(1)
      .tap({ position: { x: 200, y: 55 } })
    await open.waitFor()
    await page.goBack()
    await open.waitFor({ state: 'detached' })
    const { width, height } = (await page.getByRole('link', { name: 'a', exact: true }).boundingBox()) ?? {
      width: 0,
      height: 0,
    }
    expect(width).toBeGreaterThanOrEqual(44)
    expect(height).toBeGreaterThanOrEqual(24)
  },
)

test('on a phone, tiles show the whole size and age of a file and name its access, also in German', async () => {
  const { page, context, wallet, open, signIn } = await site.newPage({ width: 390, height: 844 })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadText(client, 'x'.repeat(123_456), { name: 'public.txt' })
  await uploadText(client, 'y'.repeat(123_456), { name: 'private.txt', private: true })
  await open('/files?view=grid')
  await signIn()
  const access = (name: string) => page.getByRole('gridcell', { name: 'private.txt' }).getByRole('img', { name })
  await access('Private').waitFor()
  await page.evaluate(`localStorage.setItem('cairn.settings', '{"language":"de"}')`)
  // The clock of the page is 38 minutes later.
  await context.addInitScript('{ const now = Date.now; Date.now = () => now() + 38 * 60_000 }')
  await page.reload()
  await access('Privat').waitFor()
  const facts = page.getByRole('gridcell').locator('p > span')
  await facts.nth(1).waitFor()
  for (const fact of await facts.all()) {
    expect(await fact.textContent()).toMatch(/^121\sKiB\s· vor\s38\sMinuten$/)
    const [inner, outer] = await fact.evaluate((one) =>
      ['scroll', 'client'].map((kind) => ['Width', 'Height'].map((side) => Reflect.get(one, `${kind}${side}`))),
    )
    expect(inner).toEqual(outer)
  }
})

test('Back closes what is open over the page, and leaves the page where it is', async () => {
  const { page, open } = await openWithFiles(site, 1)
  await open('/settings')
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.getByRole('link', { name: 'Files', exact: true }).first().click()
  await page.getByRole('link', { name: 'note-000.txt' }).waitFor()
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.waitFor()
  await page.goBack()
  await sheet.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/files')
  // A drawer has its own address, and is left like any other page.
  await page.getByRole('link', { name: 'note-000.txt' }).click()
  await page.getByRole('dialog', { name: 'note-000.txt' }).waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/files')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
})

test('marks one tab of a file and one place of the list as current, and opens the next file at its preview', async () => {
  const { page, open } = await openWithFiles(site, 2)
  const current = (name: string) =>
    page.getByRole('navigation', { name }).locator('[aria-current=page]').allTextContents()
  await page.getByRole('link', { name: 'note-001.txt' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Details' }).click()
  await expect.poll(() => current('File sections')).toEqual(['Details'])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('')
  await page.getByRole('link', { name: 'note-000.txt' }).click()
  await expect.poll(() => current('File sections')).toEqual(['Preview'])
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Trash', exact: true }).click()
  await expect.poll(() => current('Places')).toEqual(['Trash'])
  const client = await createPageClient(site, page)
  const { cid } = await uploadFolder(client, [{ path: 'sub/deep/inner.txt', content: new Blob(['two']) }], {
    name: 'things',
  })
  await open(`/files/${cid}/sub/deep`)
  await page.getByRole('link', { name: 'inner.txt' }).waitFor()
  expect(await page.getByRole('dialog').locator('[aria-current]').allTextContents()).toEqual(['deep'])
})

test('shows the name of an open file as the title of the tab, and that of the list once it is closed', async () => {
  const { page } = await openWithFiles(site, 2)
  await page.getByRole('link', { name: 'note-001.txt' }).click()
  await expect.poll(() => page.title()).toBe('note-001.txt · Cairn')
  // Opened by its address, it keeps its title when the list has loaded.
  await page.reload()
  await page.getByText('File 2 of 2').waitFor({ state: 'attached' })
  expect(await page.title()).toBe('note-001.txt · Cairn')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.title()).toBe('Files · Cairn')
})

test('a file opens over the list, and Back closes it', async () => {
  const { page, problems } = await openWithFiles(site, 1)
  await page.getByRole('link', { name: 'note-000.txt' }).click()
  await page.getByRole('dialog', { name: 'note-000.txt' }).waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/files')
  expect(problems).toEqual([])
})

test('reaches the previous and next file by arrow key, button or swipe, and shows a file full screen', async () => {
  const { page, open, problems, checkAccessibility } = await openWithFiles(site, 3)
  await open('/files?sort=createdAt')
  const shown = (i: number) => page.getByRole('dialog', { name: `note-00${i}.txt` })
  const button = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
  await page.getByRole('link', { name: 'note-002.txt' }).click()
  await shown(2).getByText('file 2', { exact: true }).waitFor()
  expect(await button('Previous file').isDisabled()).toBe(true)
  await page.getByText('File 1 of 3').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowRight')
  await shown(1).getByText('file 1', { exact: true }).waitFor()
  await button('Next file').click()
  await shown(0).getByText('file 0', { exact: true }).waitFor()
  expect(await button('Next file').isDisabled()).toBe(true)
  if (isFirefox) {
    // Playwright sends Firefox no touch other than a tap.
    await button('Previous file').click()
  } else {
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y: 700 }] })
    await touch('touchStart', 900)
    await touch('touchMove', 1100)
    await touch('touchEnd', 1100)
  }
  await shown(1).getByText('file 1', { exact: true }).waitFor()
  await button('Full screen').click()
  await expect.poll(() => page.getByRole('dialog').evaluate((one) => one.clientWidth)).toBeGreaterThan(1200)
  expect(await checkAccessibility()).toEqual([])
  await button('Leave full screen').click()
  await expect.poll(() => page.getByRole('dialog').evaluate((one) => one.clientWidth)).toBeLessThan(1000)
  await page.setViewportSize({ width: 360, height: 700 })
  expect(await checkAccessibility()).toEqual([])
  // Back leads to the list, not through the files.
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a folder is shown as a folder in the list, in a folder and in its menu', async () => {
  const { page } = await openWithFiles(site, 0)
  const client = await createPageClient(site, page)
  await uploadFolder(
    client,
    [
      { path: 'a first.txt', content: new Blob(['one']) },
      { path: 'sub/inner.txt', content: new Blob(['two']) },
    ],
    { name: 'things' },
  )
  await uploadText(client, 'no folder', { name: 'plain.txt' })
  await page.reload()
  const row = page.getByRole('row').filter({ hasText: 'things' })
  await row.getByText('Folder', { exact: true }).waitFor()
  expect(
    await page.getByRole('row').filter({ hasText: 'plain.txt' }).getByText('Folder', { exact: true }).count(),
  ).toBe(0)
  await page.evaluate(saveIntoStorage)
  await row.getByRole('button', { name: 'Actions for things' }).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  await saveZip(page, 2)
  expect([...readZip(await readStored(page, 'things.zip')).keys()]).toEqual([
    'things/a first.txt',
    'things/sub/inner.txt',
  ])
  await row.getByRole('link', { name: 'things' }).click()
  const names = page.getByRole('list', { name: 'Names in this folder' }).getByRole('listitem')
  await names.first().waitFor()
  expect(await names.allTextContents()).toEqual(['subFolder', expect.stringMatching(/^a first\.txt/)])
  const download = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('link', { name: 'Download as TAR' }).click()
  expect((await download).suggestedFilename()).toMatch(/^things(\(1\))?\.tar$/)
  await page.getByRole('dialog').getByRole('button', { name: 'Copy link' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Download as a ZIP' }).click()
  await saveZip(page, 2)
  // A folder in it, alone.
  await names.first().getByRole('link').click()
  await page.getByRole('link', { name: /^inner\.txt/ }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Download as a ZIP' }).click()
  await saveZip(page, 1)
  expect([...readZip(await readStored(page, 'sub.zip')).keys()]).toEqual(['sub/inner.txt'])
})

async function saveZip(page: ConsolePage['page'], fileCount: number): Promise<void> {
  const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
  await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
  await dialog.getByText(new RegExp(`^Saved ${fileCount} file`)).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
}

test('selecting all of a long list shows its progress at once', async () => {
  const { page, open, wallet } = await openWithFiles(site, 0)
  await page.getByText('Nothing here yet').waitFor()
  await addRows(site.network, wallet.accounts[0]?.address.toLowerCase() ?? '', 500)
  await open('/files?place=uploads')
  await page.getByText('500 uploads').waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/user/files_uploaded?*lastKey=*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  const bar = page.getByRole('region', { name: 'Selected files' })
  await bar.getByText('200 of 500 selected').waitFor()
  expect(await bar.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  held.resolve()
  await bar.getByText('500 selected', { exact: true }).waitFor()
  expect(await bar.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(false)
})
