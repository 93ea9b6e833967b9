// Names, payments and conditions with the keyboard alone, on a desktop and on a phone: what is reached, and where the focus goes.
import { createClient, createName, getConditions, uploadEncryptedText, uploadText, useFaucet } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startUpload } from './start-upload.ts'
import { focused, tabTo } from './tab-to.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const

async function openSignedIn(size: (typeof sizes)[number], path: string): Promise<ConsolePage> {
  const opened = await site.newPage(size)
  const [account] = opened.wallet.accounts
  await useFaucet(createClient({ network: site.network.profile }), account?.address ?? '')
  await opened.open(path)
  await opened.signIn()
  return opened
}

/** The accessible name of the focused part of the page, such as a section. */
const focusedPart = (page: Page) =>
  page.evaluate<string>(
    "document.getElementById(document.activeElement?.getAttribute('aria-labelledby'))?.textContent ?? document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id",
  )

/** Whether the focused element, or the row that represents it, is outlined. */
const isOutlined = `['outlineStyle', 'outlineWidth'].every((part) => !/^(none|0px)$/.test(getComputedStyle(document.activeElement)[part]))`

test.each(sizes)('creates and publishes a name at $width px', async (size) => {
  const { page, wallet, open } = await openSignedIn(size, '/names')
  const { keyboard } = page
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadText(client, 'one', { name: 'one.txt' })
  const { cid } = await uploadText(client, 'two', { name: 'two.txt' })
  await open('/names')
  await page.getByText('No names yet').waitFor()
  await tabTo(page, /^Create name$/)
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => page.evaluate(focused)).toMatch(/^Label/)
  await keyboard.type('my-site')
  await keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'my-site' }).waitFor()
  await tabTo(page, /^Publish$/)
  await keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('two.txt').waitFor()
  await tabTo(page, /^(one|two)\.txt/)
  for (let at = 0; at < 2 && !/^two/.test(await page.evaluate(focused)); at++) await keyboard.press('ArrowDown')
  await keyboard.press('Space')
  await tabTo(page, /^Publish$/)
  await keyboard.press('Enter')
  await page.getByRole('link', { name: `/ipfs/${cid}` }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(focused)).toBe('Publish')
})

/** Whether the row that the arrow keys reached is visible as a whole: what is at its corners belongs to it. */
const isActiveUncovered = `(() => {
  const row = document.querySelector('[data-active]')
  if (row === null) return false
  const { left, right, top, bottom } = row.getBoundingClientRect()
  const corners = [[left + 8, top + 4], [right - 8, bottom - 4]]
  return corners.every(([x, y]) => row.contains(document.elementFromPoint(x, y)))
})()`

test.each(sizes)('names, moves, deletes and restores items of the drive at $width px', async (size) => {
  const { page, wallet, open, checkAccessibility } = await openSignedIn(size, '/settings')
  const { keyboard } = page
  const client = await createAccountClient(site.network, wallet.accounts[0])
  for (let at = 0; at < 14; at++) await uploadText(client, `${at}`, { name: `note-${String(at).padStart(2, '0')}.txt` })
  await open('/files')
  const row = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true })
  await row('note-13.txt').waitFor()
  await tabTo(page, /^New folder$/)
  await keyboard.press('Enter')
  await keyboard.type('letters')
  await keyboard.press('Enter')
  await row('letters').waitFor()
  await expect.poll(() => page.evaluate(focused)).toBe('New folder')
  await tabTo(page, /^Your files$/)
  // The last row scrolls out from under all bars, also with a selection.
  await keyboard.press('End')
  await expect.poll(() => page.evaluate(isActiveUncovered)).toBe(true)
  await keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  await expect.poll(() => page.evaluate(isActiveUncovered)).toBe(true)
  await keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).waitFor()
  await keyboard.press('Control+a')
  await keyboard.type('a plan.txt')
  await keyboard.press('Enter')
  await row('a plan.txt').waitFor()
  await expect.poll(() => page.evaluate(focused)).toBe('Your files')
  await keyboard.press('Control+x')
  await keyboard.press('Home')
  await expect.poll(() => page.evaluate(isActiveUncovered)).toBe(true)
  await keyboard.press('Enter')
  await page.getByText('This folder is empty').waitFor()
  await keyboard.press('Control+v')
  await row('a plan.txt').waitFor()
  await tabTo(page, /^Dismiss$/)
  await keyboard.press('Enter')
  await keyboard.press('Backspace')
  await row('note-00.txt').waitFor()
  await tabTo(page, /^Your files$/)
  await keyboard.press('Home')
  await keyboard.press('ArrowDown')
  await keyboard.press('Shift+ArrowDown')
  await page.getByText('2 selected').waitFor()
  await keyboard.press('Delete')
  await row('note-01.txt').waitFor({ state: 'detached' })
  await tabTo(page, /^Undo$/)
  await keyboard.press('Enter')
  await row('note-01.txt').waitFor()
  // The menu of the row that the arrows reached.
  await tabTo(page, /^Your files$/)
  await keyboard.press('Home')
  await keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Tags and colour' }).waitFor()
  await keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(focused)).toBe('Your files')
  expect(await checkAccessibility()).toEqual([])
})

test.each(sizes)('pays for storage at $width px', async (size) => {
  const { page, checkAccessibility } = await openSignedIn(size, '/billing')
  const { keyboard } = page
  await page.getByRole('heading', { name: 'Add storage' }).waitFor()
  // The arrows move through the sizes; the last one opens a field.
  await tabTo(page, /^10\sGiB$/)
  for (let at = 0; at < 3; at++) await keyboard.press('ArrowRight')
  expect(await page.evaluate(focused)).toBe('Other')
  await tabTo(page, /^Amount/)
  await keyboard.type('64')
  await tabTo(page, /^Unit/)
  await keyboard.press('M')
  await tabTo(page, /^Review payment$/)
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await tabTo(page, /^Continue in wallet$/)
  await keyboard.press('Enter')
  // The form is gone, and the focus is on its replacement.
  const payment = page.getByRole('region', { name: 'Payment', exact: true })
  await payment.waitFor()
  await expect.poll(() => focusedPart(page)).toBe('Payment')
  await payment.getByRole('button', { name: 'Done' }).waitFor()
  expect(await payment.getByRole('list').textContent()).toContain('Storage added, done')
  expect(await checkAccessibility()).toEqual([])
  await tabTo(page, /^Done$/)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Add storage' }).waitFor()
  await expect.poll(() => focusedPart(page)).toBe('Add storage')
})

test.each(sizes)('sets and removes conditions at $width px', async (size) => {
  const { page, wallet, open, checkAccessibility } = await openSignedIn(size, '/files')
  const { keyboard } = page
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'For the patient', { name: 'slow.txt' })
  await open(`/files/${cid}/access`)
  await page.getByRole('button', { name: 'Block number' }).waitFor()
  await tabTo(page, /^Block number$/)
  await keyboard.press('Enter')
  const list = page.getByRole('list', { name: 'Conditions' })
  await list.waitFor()
  await expect.poll(() => page.evaluate(focused)).toBe('Chain of condition 1')
  await tabTo(page, /^Amount of condition 1$/)
  await keyboard.press('Control+a')
  await keyboard.type('7')
  await tabTo(page, /^Add a condition$/)
  await keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await keyboard.press('Enter')
  await expect.poll(() => page.evaluate(focused)).toBe('Comparison of condition 2')
  // After the removal, the focus stays on one of the others.
  await tabTo(page, /^Remove condition 2$/)
  await keyboard.press('Enter')
  await expect.poll(() => focusedPart(page)).toBe('Conditions')
  await tabTo(page, /^Save$/)
  await keyboard.press('Enter')
  await expect
    .poll(async () => (await getConditions(client, cid)).conditions, { timeout: 60_000 })
    .toMatchObject([{ method: 'getBlockNumber', returnValueTest: { value: '7' } }])
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  await tabTo(page, /^Remove condition 1$/)
  await keyboard.press('Enter')
  await expect.poll(() => focusedPart(page)).toBe('Conditions')
  expect(await checkAccessibility()).toEqual([])
  await tabTo(page, /^Remove all conditions$/)
  await keyboard.press('Enter')
  await expect.poll(async () => (await getConditions(client, cid)).conditions, { timeout: 60_000 }).toEqual([])
})

test('shows the focus of the file list before the arrows reach a row; a message covers nothing in focus', async () => {
  const { page, wallet, open } = await openSignedIn(sizes[0], '/files')
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadText(client, 'one', { name: 'one.txt' })
  await open('/files')
  await page.getByRole('link', { name: 'one.txt' }).waitFor()
  await tabTo(page, /^Your files$/)
  expect(await page.evaluate(isOutlined)).toBe(true)
  await tabTo(page, /^Actions for one\.txt$/)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Copy CID' }).press('Enter')
  const message = page.getByRole('region', { name: 'Notifications' }).getByText('CID copied')
  await message.waitFor()
  // At once, not when its time is over.
  const counts = await page.evaluate(`new Promise((resolve) => {
    const count = () => document.querySelectorAll('[data-passing]').length
    const before = count()
    const link = [...document.querySelectorAll('a')].find((one) => one.textContent === 'API documentation')
    link.focus()
    requestAnimationFrame(() => requestAnimationFrame(() => resolve([before, count()])))
  })`)
  expect(counts).toEqual([1, 0])
})

/** Which controls lie under a message: the focused one, and those of an open sheet. */
const covered = `(() => {
  const boxes = [...document.querySelectorAll('section[aria-label=Notifications] [role=status] > *')].map((one) => one.getBoundingClientRect())
  const controls = [document.activeElement, ...document.querySelectorAll('[role=dialog] > :is(header, footer) button')]
  return controls.filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect()
    return one !== document.body && boxes.some((box) => box.left < right && left < box.right && box.top < bottom && top < box.bottom)
  }).map((one) => one.ariaLabel ?? one.textContent)
})()`

test('on a phone, a message covers neither the focused control nor the buttons of a sheet', async () => {
  const { page, wallet, open, checkAccessibility } = await openSignedIn(sizes[1], '/names')
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { name } = await createName(client, { label: 'site' })
  await open(`/names/${name}`)
  const menu = page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for/ })
    .first()
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Change label' }).press('Enter')
  await page.getByRole('dialog').getByLabel('Label').fill('my-site')
  await page.keyboard.press('Enter')
  const messages = page.getByRole('region', { name: 'Notifications' })
  await messages.getByText('Label changed').waitFor()
  await expect.poll(() => menu.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
  expect(await page.evaluate(covered)).toEqual([])
  expect(await checkAccessibility()).toEqual([])

  // A sheet as high as the window, while an upload completes.
  const held = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      await held.promise
      await route.continue()
    },
  )
  await open('/files')
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const text = (file: string) => ({ name: file, mimeType: 'text/plain', buffer: Buffer.from(file) })
  await page.setInputFiles('input[data-upload=files]', text('one.txt'))
  await startUpload(page, 'public')
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const many = Array.from({ length: 20 }, (_, at) => text(`many-${at}.txt`))
  await page.setInputFiles('input[data-upload=files]', many)
  await page.getByRole('textbox', { name: 'Name of many-9.txt' }).waitFor()
  held.resolve()
  await messages.getByText('one.txt').waitFor()
  // The sheet may still grow; the message then moves in the next frame.
  await expect.poll(() => page.evaluate(covered)).toEqual([])
})
