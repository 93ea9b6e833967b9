// Uploads into folders of the console: when one cannot be placed, when the service is unavailable, and when the page was closed.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createFolder, goTo, link, openDrivePage } from './drive-page.ts'
import { startUpload } from './start-upload.ts'

const MiB = 1024 * 1024
let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-drive-uploads-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Runs in the page: the number of uploads that it keeps. */
const countKept = `new Promise((done, fail) => {
  const opening = indexedDB.open('cairn-uploads')
  opening.onerror = () => fail(opening.error)
  opening.onsuccess = () => {
    const counting = opening.result.transaction('uploads').objectStore('uploads').count()
    counting.onsuccess = () => {
      opening.result.close()
      done(counting.result)
    }
  }
})`

/** Writes files, and chooses them for an upload. */
async function choose(page: Page, contents: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content)
  await page.getByRole('button', { name: 'Upload' }).first().click()
  await page.setInputFiles(
    'input[data-upload=files]',
    Object.keys(contents).map((name) => join(folder, name)),
  )
}

test('an upload that cannot be placed in its folder does not stop the others, and is reported', async () => {
  const { page, checkAccessibility } = await openDrivePage(site, ['photos'])
  await choose(page, { 'one.txt': 'one', 'two.txt': 'two', 'three.txt': 'three' })
  // The first name belongs to a file, which cannot contain others.
  for (const [name, path] of [
    ['one.txt', 'photos/one.txt'],
    ['two.txt', 'letters/\u200Ftwo.txt'],
    ['three.txt', 'letters/old/three.txt'],
  ] as const)
    await page.getByRole('textbox', { name: `Name of ${name}` }).fill(path)
  await startUpload(page, 'public')
  await page.getByText('photos/one.txt was not moved into its folder and stays in My files').waitFor()
  await link(page, 'one.txt').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await link(page, 'letters').click()
  await link(page, '⟨U+200F⟩two.txt').waitFor()
  await link(page, 'old').click()
  await link(page, 'three.txt').waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
})

test('an upload whose folder cannot be changed is placed there later, also on the next page', async () => {
  const { page, context, expectProblem, checkAccessibility } = await openDrivePage(site, ['a.txt'])
  await createFolder(page, 'work')
  await link(page, 'work').click()
  await page.getByText('This folder is empty').waitFor()
  expectProblem(/ERR_FAILED|ERR_CONNECTION/)
  let isDown = true
  await context.route(/\/api\/drive\/parts/, (route) => (isDown ? route.abort() : route.continue()))
  await choose(page, { 'plan.txt': 'a plan' })
  await startUpload(page, 'public')
  const notice = page.getByText('plan.txt is stored and will be moved into its folder later')
  await notice.waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(await page.evaluate(countKept)).toBe(1)
  await page.reload()
  await notice.waitFor()
  expect(await link(page, 'plan.txt').count()).toBe(0)
  isDown = false
  await link(page, 'plan.txt').waitFor({ timeout: 60_000 })
  await notice.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
  await goTo(page, 'My files')
  await link(page, 'a.txt').waitFor()
  expect(await link(page, 'plan.txt').count()).toBe(0)
})

test('an upload that completes while the page is closed is in its folder on the next page', async () => {
  const { page, client } = await openDrivePage(site, ['a.txt'])
  page.on('dialog', (dialog) => void dialog.accept())
  await createFolder(page, 'work')
  await link(page, 'work').click()
  await page.getByText('This folder is empty').waitFor()
  // The page never learns that it is stored.
  let isHeld = true
  await page.route(/\/api\/uploads\/[^/]+$/, (route) =>
    isHeld && route.request().method() === 'GET' ? undefined : route.continue(),
  )
  await choose(page, { 'film.bin': randomBytes(9 * MiB) })
  await startUpload(page, 'public')
  const names = async () => (await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)
  await expect.poll(names, { timeout: 60_000 }).toEqual(['film.bin', 'a.txt'])
  isHeld = false
  await page.reload()
  await link(page, 'film.bin').waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
  expect(await names()).toEqual(['film.bin', 'a.txt'])
  await goTo(page, 'My files')
  await link(page, 'a.txt').waitFor()
  expect(await link(page, 'film.bin').count()).toBe(0)
})

test('names with slashes lead into folders, also from a page that shows no files', async () => {
  const { page, open } = await openDrivePage(site, ['a.txt'])
  await open('/settings')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  const pressUpload = async () => {
    // On a busy machine, the page may listen for keys only after it has shown the heading.
    await page.keyboard.press('u')
    return page.locator('input[data-upload=files]').count()
  }
  await expect.poll(pressUpload).toBe(1)
  const contents = { 'one.html': 'one', 'two.html': 'two' }
  for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content)
  await page.setInputFiles(
    'input[data-upload=files]',
    Object.keys(contents).map((name) => join(folder, name)),
  )
  for (const name of ['one', 'two'])
    await page.getByRole('textbox', { name: `Name of ${name}.html` }).fill(`site/${name}/index.html`)
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await expect.poll(() => panel.getByText('Stored', { exact: true }).count()).toBe(2)
  // Also if the page closes before the folders are open.
  await open('/files')
  await link(page, 'site').click()
  await link(page, 'one').click()
  await link(page, 'index.html').waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
  await goTo(page, 'My files')
  await link(page, 'a.txt').waitFor()
  expect(await link(page, 'index.html').count()).toBe(0)
})

test('says before an upload which names its folder has, and makes versions, keeps both or skips them', async () => {
  const { page, client, checkAccessibility } = await openDrivePage(site, ['plan.txt', 'list.txt'])
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  const take = async (choice: string, text: string) => {
    await choose(page, { 'plan.txt': text, [`${text}.txt`]: `new ${text}` })
    await sheet.getByText('plan.txt already exists in this folder.').waitFor()
    await sheet.getByText(choice, { exact: true }).click()
  }
  await take('Keep both', 'second')
  expect(await checkAccessibility()).toEqual([])
  await startUpload(page, 'public')
  await link(page, 'plan (2).txt').waitFor()
  await take('Skip', 'third')
  await startUpload(page, 'public')
  await link(page, 'third.txt').waitFor()
  await take('New version', 'fourth')
  await startUpload(page, 'public')
  await link(page, 'fourth.txt').waitFor()
  await page
    .getByRole('row', { name: /plan\.txt/ })
    .getByText('2 versions')
    .waitFor()
  const names: string[] = []
  for await (const { fileName } of listFiles(client)) names.push(fileName)
  expect(names.filter((name) => name.startsWith('plan')).sort()).toEqual(['plan (2).txt', 'plan.txt', 'plan.txt'])
  // In a folder that has no such file, there is nothing to ask.
  await createFolder(page, 'empty')
  await link(page, 'empty').click()
  await page.getByText('This folder is empty').waitFor()
  await choose(page, { 'plan.txt': 'fifth' })
  await sheet.getByRole('textbox', { name: 'Name of plan.txt' }).waitFor()
  expect(await sheet.getByText('already exists').count()).toBe(0)
})

test('says which names exist also on a page that has not opened the drive', async () => {
  const { page, open } = await openDrivePage(site, ['plan.txt'])
  await open('/settings')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await choose(page, { 'plan.txt': 'second' })
  await page.getByRole('dialog', { name: 'Upload' }).getByText('plan.txt already exists in this folder.').waitFor()
})

test('the bar of a selection covers no row at the end of a list, and is not covered by the transfers', async () => {
  const { page } = await openDrivePage(site, ['a.txt', 'b.txt', 'c.txt'])
  await page.setViewportSize({ width: 360, height: 480 })
  await page.getByRole('grid').getByRole('checkbox').last().check()
  await page.getByRole('button', { name: 'Actions for c.txt' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByRole('button', { name: 'Show transfers' }).click()
  await page.getByRole('region', { name: 'Transfers' }).waitFor()
  for (const width of [1440, 1280, 820, 640, 360]) {
    await page.setViewportSize({ width, height: 740 })
    await page.getByRole('grid').getByRole('checkbox', { name: 'Select a.txt' }).check()
    await page.getByRole('button', { name: 'Clear selection' }).click()
  }
  // Nor the navigation of a narrow window.
  await page.setViewportSize({ width: 640, height: 400 })
  await page.getByRole('button', { name: 'More', exact: true }).click()
})
