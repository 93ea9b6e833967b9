// The sheet in which uploads start: what is chosen, who can open it, and what is sent.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { openEmpty, openWithFiles } from './files-page.ts'
import { startButton, startUpload } from './start-upload.ts'

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

test('uploads a file with one click, shows its stages, and lists it under its CID', async () => {
  const { page, problems } = await openWithFiles(site, 0)
  await page.getByText('Nothing here yet').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Upload' }).click()
  const path = join(folder, 'hello.txt')
  await writeFile(path, 'hello world')
  await page.setInputFiles('input[data-upload=files]', path)
  await page.getByRole('textbox', { name: 'Name of hello.txt' }).waitFor()
  expect(await page.getByRole('dialog').getByText('Empty folders').count()).toBe(0)
  await startUpload(page, 'public')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'hello.txt' }).waitFor()
  await page
    .getByRole('button', { name: 'Copy CID bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e' })
    .waitFor()
  expect(problems).toEqual([])
})

test('marks duplicate names before anything is sent, with the text of the specification', async () => {
  const { page, problems } = await openWithFiles(site, 0)
  await page.keyboard.press('u')
  const paths = ['one.txt', 'two.txt'].map((name) => join(folder, name))
  for (const path of paths) await writeFile(path, path)
  await page.setInputFiles('input[data-upload=files]', paths)
  await page.getByRole('textbox', { name: 'Name of two.txt' }).fill('one.txt')
  const duplicate = page.getByText('Duplicate file name found: one.txt')
  expect(await duplicate.count()).toBe(0)
  await page.keyboard.press('Tab')
  await duplicate.waitFor()
  expect(await page.getByRole('button', { name: startButton.encrypted }).isDisabled()).toBe(true)
  expect(problems).toEqual([])
})

test('shows a rejected name however many files are chosen, and lets the user change it', async () => {
  const { page, problems } = await openWithFiles(site, 0)
  await page.keyboard.press('u')
  const choose = (names: readonly string[]) =>
    page.setInputFiles(
      'input[data-upload=files]',
      names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })),
    )
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await choose(Array.from({ length: 150 }, (_none, at) => `${at}.txt`))
  await sheet.getByText('and 50 more').waitFor()
  await choose(['149.txt'])
  await sheet.getByText('Duplicate file name found: 149.txt').waitFor()
  expect(await sheet.getByRole('button', { name: startButton.encrypted }).isDisabled()).toBe(true)
  await sheet.getByRole('textbox', { name: 'Name of 149.txt' }).fill('another.txt')
  await page.keyboard.press('Tab')
  expect(await sheet.getByRole('button', { name: 'Remove another.txt' }).evaluate((it) => it.matches(':focus'))).toBe(
    true,
  )
  await sheet.getByText('and 50 more').waitFor()
  expect(await sheet.getByRole('button', { name: startButton.encrypted }).isEnabled()).toBe(true)
  expect(problems).toEqual([])
})

test('uploads an encrypted text without another signature, with its shards on five nodes', async () => {
  const { page, wallet, problems } = await openWithFiles(site, 0)
  await page.keyboard.press('u')
  await page.getByRole('dialog').getByText('Text', { exact: true }).first().click()
  const text = page.getByLabel('Text', { exact: true }).last()
  await text.fill('a secret')
  // Typed text stays, like chosen files.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('u')
  expect(await text.inputValue()).toBe('a secret')
  const before = wallet.requests.filter((method) => method === 'personal_sign').length
  await startUpload(page, 'encrypted')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor()
  expect(wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(before)
  await page.getByRole('row').filter({ hasText: 'note.txt' }).getByText('Encrypted').waitFor()
  await page.keyboard.press('u')
  await page.getByRole('dialog').getByText('Text', { exact: true }).first().click()
  expect(await text.inputValue()).toBe('')
  expect(problems).toEqual([])
})

test('a slash in the name of a text leads into a drive folder, and a rejected name says why', async () => {
  const { page, problems } = await openWithFiles(site, 0)
  await page.keyboard.press('u')
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.getByText('Text', { exact: true }).first().click()
  await sheet.getByLabel('Text', { exact: true }).last().fill('buy milk')
  const name = sheet.getByRole('textbox', { name: 'Name' })
  await name.fill('../plan.txt')
  await page.keyboard.press('Tab')
  await sheet.getByRole('alert').waitFor()
  expect(await sheet.getByRole('button', { name: startButton.encrypted }).isDisabled()).toBe(true)
  await name.fill('notes/plan.txt')
  await startUpload(page, 'public')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor()
  await page.getByRole('grid').getByRole('link', { name: 'notes', exact: true }).click()
  // Not in a stored folder, which would open in a drawer and take no other files.
  await page.getByRole('navigation', { name: 'Path' }).getByText('notes').waitFor()
  await page.getByRole('grid').getByRole('link', { name: 'plan.txt' }).waitFor()
  expect(problems).toEqual([])
})

test('with immediate uploads enabled, a chosen public file starts at once, and an encrypted one waits for Start', async () => {
  const { page, open } = await openWithFiles(site, 0)
  await open('/settings')
  await page.getByRole('group', { name: 'New uploads' }).getByText('Public', { exact: true }).click()
  await page.getByText('Start public uploads at once').click()
  await open('/files')
  await page.getByText('Nothing here yet').waitFor()
  const choose = (name: string) =>
    page.setInputFiles('input[data-upload=files]', { name, mimeType: 'text/plain', buffer: Buffer.from(name) })
  await page.getByRole('button', { name: 'Upload' }).first().click()
  await choose('soon.txt')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'soon.txt' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Upload' }).first().click()
  await page.getByRole('dialog').getByText('Encrypted', { exact: true }).click()
  await choose('later.txt')
  await page.getByRole('textbox', { name: 'Name of later.txt' }).waitFor()
  await page.getByRole('dialog').getByText('Public', { exact: true }).click()
  expect(await page.getByRole('button', { name: startButton.public }).isEnabled()).toBe(true)
})

test('Public applies to one upload: the next one, and those of other tabs, are encrypted', async () => {
  const { page, context } = await openWithFiles(site, 0)
  const other = await context.newPage()
  await other.goto('/files')
  await other.getByText('Nothing here yet').waitFor()
  for (const one of [other, page]) {
    await one.getByRole('button', { name: 'Upload' }).first().click()
    await one.setInputFiles('input[data-upload=files]', {
      name: 'open.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('open'),
    })
  }
  await startUpload(page, 'public')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Upload' }).first().click()
  for (const one of [other, page]) {
    expect(await one.getByRole('dialog').getByRole('radio', { name: 'Encrypted' }).isChecked()).toBe(true)
  }
})

test('shows beside the button, and on it, who can open an upload, however many files are chosen', async () => {
  const { page, checkAccessibility } = await openWithFiles(site, 0)
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  const inSight = async (locator: Locator) => {
    const box = await locator.boundingBox()
    const { height } = page.viewportSize() ?? { height: 0 }
    return box !== null && box.y >= 0 && box.y + box.height <= height
  }
  await page.keyboard.press('u')
  const files = Array.from({ length: 17 }, (_, i) => ({
    name: `page-${i}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`${i}`),
  }))
  await page.setInputFiles('input[data-upload=files]', files)
  const start = sheet.getByRole('button', { name: 'Encrypt and upload 17 files', exact: true })
  await start.waitFor()
  expect(await sheet.getByRole('radio', { name: 'Encrypted' }).isChecked()).toBe(true)
  // Anyone who knows the CID can read the name of a file, also of an encrypted one.
  await sheet.getByText('The name and the size are visible to anyone with the CID.').waitFor()
  for (const [width, height] of [
    [1280, 800],
    [320, 640],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const access of ['Encrypted', 'Public']) {
      const choice = sheet.getByText(access, { exact: true })
      expect([width, access, await inSight(choice)]).toEqual([width, access, true])
    }
    expect(await inSight(start)).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await checkAccessibility()).toEqual([])
  }
  await sheet.getByText('Public', { exact: true }).click()
  await sheet.getByText('Anyone with the CID can read it').waitFor()
  await sheet.getByRole('button', { name: 'Upload 17 files publicly', exact: true }).waitFor()
  expect(await checkAccessibility()).toEqual([])
})

test('the button says who can open an upload, also after the browser translated it', async () => {
  const { page } = await openEmpty(site)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', {
    name: 'a.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('a'),
  })
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  // Translators replace texts by elements of their own.
  await sheet.getByRole('button', { name: startButton.encrypted }).evaluate((button) => {
    const walker = document.createTreeWalker(button, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode() instanceof Text) if (walker.currentNode instanceof Text) texts.push(walker.currentNode)
    for (const text of texts) {
      const font = document.createElement('font')
      font.textContent = text.data
      text.replaceWith(font)
    }
  })
  await sheet.getByText('Public', { exact: true }).click()
  await sheet.getByRole('button', { name: startButton.public }).waitFor()
  expect(await sheet.getByRole('button', { name: startButton.encrypted }).count()).toBe(0)
})

test('uploads start at once only if new ones are public by choice, not if the network cannot encrypt them', async () => {
  const { page, context } = await openWithFiles(site, 0)
  await page.getByText('Nothing here yet').waitFor()
  const keep = (settings: object) =>
    page.evaluate(`localStorage.setItem('cairn.settings', ${JSON.stringify(JSON.stringify(settings))})`)
  const choose = async (name: string) => {
    await page.keyboard.press('u')
    const file = { name, mimeType: 'text/plain', buffer: Buffer.from(name) }
    await page.setInputFiles('input[data-upload=files]', file)
  }
  await keep({ startsAtOnce: true, access: 'public' })
  await page.reload()
  await page.getByText('Nothing here yet').waitFor()
  await choose('at-once.txt')
  const stored = page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true })
  await stored.waitFor()
  // By default, uploads are encrypted.
  await keep({ startsAtOnce: true })
  await context.route('**/.well-known/cairn.json', async (route) => {
    const response = await route.fetch()
    const { keyNodes: _nodes, keyRouter: _router, ...profile } = await response.json()
    await route.fulfill({ response, json: profile })
  })
  await page.reload()
  await page.getByRole('link', { name: 'at-once.txt' }).waitFor()
  await choose('asked.txt')
  const sheet = page.getByRole('dialog', { name: 'Upload', exact: true })
  await sheet.getByText('left after this').waitFor()
  await sheet.getByText('This network has no key nodes').waitFor()
  await sheet.getByRole('button', { name: startButton.public }).click()
  await stored.waitFor()
  await page.getByRole('link', { name: 'asked.txt' }).waitFor()
})

test('the selection is cleared with its account: the next account does not upload it', async () => {
  const { page, signIn } = await openWithFiles(site, 0)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', {
    name: 'mine.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('mine'),
  })
  const chosen = page.getByRole('textbox', { name: 'Name of mine.txt' })
  await chosen.waitFor()
  await page.keyboard.press('Escape')
  await chosen.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await page.keyboard.press('u')
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  expect(await chosen.count()).toBe(0)
})

test('the upload sheet focuses the file chooser or the text, and Escape returns the focus', async () => {
  const { page } = await openWithFiles(site, 0)
  const isFocused = (locator: Locator) => locator.evaluate((one) => one === one.ownerDocument.activeElement)
  const upload = page.getByRole('banner').getByRole('button', { name: 'Upload', exact: true })
  const sheet = page.getByRole('dialog', { name: 'Upload', exact: true })
  const choose = sheet.getByRole('button', { name: 'Choose files', exact: true })
  const choosers: { isMultiple: boolean }[] = []
  page.on('filechooser', (chooser) => choosers.push({ isMultiple: chooser.isMultiple() }))
  await upload.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => isFocused(choose)).toBe(true)
  await page.keyboard.press('Enter')
  await expect.poll(() => choosers).toEqual([{ isMultiple: true }])
  await sheet.getByText('Text', { exact: true }).click()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(upload)).toBe(true)
  // Opened again, it shows the text.
  await page.keyboard.press('Enter')
  await expect.poll(() => isFocused(sheet.getByRole('textbox', { name: 'Text', exact: true }))).toBe(true)
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(upload)).toBe(true)
})
