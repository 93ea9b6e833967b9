// The drive of the console in a real browser: folders, moves, marks and trash.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDrive, uploadEncryptedText, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { act, createFolder, goTo, link, openDrivePage } from './drive-page.ts'
import { dropKeySession } from './drop-key-session.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-drive-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Runs in the page: returns whether a line in the trash starts with the dot between two facts. */
const hasLeadingDot = `(() => {
  const walker = document.createTreeWalker(document.querySelector('ul[aria-label=Trash]'), NodeFilter.SHOW_TEXT)
  const topOf = (node, at) => {
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + 1)
    return range.getBoundingClientRect().top
  }
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (let at = node.data.indexOf('·'); at > 1; at = node.data.indexOf('·', at + 1)) {
      // A space at the end of a line has no width.
      if (topOf(node, at) > topOf(node, at - 2) + 4) return true
    }
  }
  return false
})()`

test('folders are created, filled by dialog and by drag, opened, renamed, and kept after a reload', async () => {
  const { page, context, open, checkAccessibility } = await openDrivePage(site, ['a.txt', 'b.txt', 'c.txt'])
  await createFolder(page, 'letters')
  await page.getByText('4 items', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Folder name' }).fill('letters')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('letters already exists here. Choose another name.', { exact: true }).waitFor()
  for (const name of ['.', '..']) {
    await page.getByRole('textbox', { name: 'Folder name' }).fill(name)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('A name needs more than one or two dots.', { exact: true }).waitFor()
  }
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')

  await act(page, 'a.txt', 'Move')
  await page.getByRole('dialog').getByText('letters', { exact: true }).click()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Move into letters' }).click()
  await link(page, 'a.txt').waitFor({ state: 'detached' })
  if (isFirefox) {
    // WebDriver BiDi cannot drag in Firefox.
    await act(page, 'b.txt', 'Move')
    await page.getByRole('dialog').getByText('letters', { exact: true }).click()
    await page.getByRole('button', { name: 'Move into letters' }).click()
  } else {
    await link(page, 'b.txt').dragTo(link(page, 'letters'))
  }
  await link(page, 'b.txt').waitFor({ state: 'detached' })
  expect(await checkAccessibility()).toEqual([])

  await link(page, 'letters').click()
  await page.getByRole('navigation', { name: 'Path' }).getByText('letters').waitFor()
  await link(page, 'b.txt').waitFor()
  // The address has no name: a reload sends it to the service.
  expect(new URL(page.url()).searchParams.get('folder')).toMatch(/^d-/)
  await act(page, 'a.txt', 'Rename')
  await page.getByRole('textbox', { name: 'New name' }).fill('b.txt')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByText('b.txt already exists here.').waitFor()
  await page.getByRole('textbox', { name: 'New name' }).fill('may.txt')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await link(page, 'may.txt').waitFor()
  await page.reload()
  await link(page, 'may.txt').click()
  // The open folder also has the name that the service does not know.
  await page.getByRole('dialog', { name: 'may.txt', exact: true }).getByText('content of a.txt').waitFor()
  // The focus starts at its header, and no button of it looks pressed.
  expect(await page.evaluate("document.activeElement?.getAttribute('role')")).toBe('dialog')
  await page.keyboard.press('Escape')
  await link(page, 'may.txt').waitFor()
  expect(await checkAccessibility()).toEqual([])
  // The palette finds it by this name, which the service cannot read, and not by the previous one.
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('may')
  await palette.getByRole('option', { name: /^may\.txt/ }).waitFor()
  await palette.getByRole('combobox').fill('a.txt')
  await palette.getByText('No results', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  // Also on a page that does not list files: the first palette opens the folders, and nothing does so earlier.
  const read: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/drive') read.push(request.method())
  })
  await open('/names')
  await page.getByText('No names yet').waitFor()
  expect(read).toEqual([])
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>()
  await context.route(/\/api\/drive/, async (route) => {
    await isHeld
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await palette.getByText('Loading your folders.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  release()
  await palette.getByRole('combobox').fill('may')
  await palette.getByRole('option', { name: /^may\.txt/ }).waitFor()
  await palette.getByRole('combobox').fill('a.txt')
  await palette.getByText('No results', { exact: true }).waitFor()
  expect(read).toContain('GET')
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'My files' }).click()
  await link(page, 'c.txt').waitFor()
})

test('sets and finds stars, tags and colours; the keyboard works as in a file manager', async () => {
  const { page, checkAccessibility } = await openDrivePage(site, ['one.txt', 'two.txt'], {
    theme: 'dark',
    width: 320,
    height: 720,
  })
  await act(page, 'one.txt', 'Star')
  await page.getByRole('row').filter({ hasText: 'one.txt' }).getByLabel('Starred').waitFor()
  await act(page, 'one.txt', 'Tags and colour')
  await page.getByRole('textbox', { name: 'Tags' }).fill('family')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('textbox', { name: 'Tags' }).fill('a tag with a long name')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('dialog').getByText('Green').click()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // Also on a phone, the row shows them, within its width.
  const row = page.getByRole('row').filter({ hasText: 'one.txt' })
  await row.getByText('+1', { exact: true }).waitFor()
  expect(await row.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  await page.getByRole('button', { name: '#family' }).click()
  await link(page, 'two.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: '#family' }).click()
  await link(page, 'two.txt').waitFor()
  // All places are visible at 320 px without horizontal scrolling.
  const isWithin = "((nav) => nav.scrollWidth <= nav.clientWidth)(document.querySelector('nav[aria-label=Places]'))"
  expect(await page.evaluate(isWithin)).toBe(true)
  // On common phones, they have one line.
  const lines =
    "new Set(Array.from(document.querySelectorAll('nav[aria-label=Places] a'), (one) => one.offsetTop)).size"
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(lines)).toBe(1)
  }
  await page.setViewportSize({ width: 320, height: 720 })
  // While in use, the search is as wide as the window.
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.focus()
  expect((await search.boundingBox())?.width).toBeGreaterThan(280)
  expect(await checkAccessibility()).toEqual([])
  await search.blur()
  await goTo(page, 'Starred')
  await link(page, 'one.txt').waitFor()
  expect(await link(page, 'two.txt').count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])
  await goTo(page, 'My files')

  await createFolder(page, 'box')
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  // WebDriver BiDi presses the keys, but a windowless Firefox opens no context menu for them.
  if (!isFirefox) {
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'Actions for two.txt' })
    await menu.waitFor()
    // It accepts keys shortly after it is shown.
    await expect
      .poll(() => menu.evaluate((one) => Boolean(Reflect.get(one, 'matches').call(one, ':focus-within'))))
      .toBe(true)
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+x')
  await page.getByRole('grid').getByText('Cut', { exact: true }).waitFor({ state: 'attached' })
  await link(page, 'box').click()
  await page.getByText('This folder is empty').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'My files' }).click()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('End')
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).fill('zwei.txt')
  await page.keyboard.press('Enter')
  await link(page, 'zwei.txt').waitFor()
  // Keys act on the row that the arrows reached, and then on the one that replaced it.
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Delete')
  await link(page, 'one.txt').waitFor({ state: 'detached' })
  await page.keyboard.press('F2')
  await expect.poll(() => page.getByRole('textbox', { name: 'New name' }).inputValue()).toBe('zwei.txt')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+x')
  await link(page, 'box').click()
  await page.getByText('This folder is empty').waitFor()
})

test('tags whose signature is declined stay in their dialog, which shows no error', async () => {
  const { page, wallet } = await openDrivePage(site, ['one.txt'])
  await dropKeySession(page)
  await page.reload()
  await act(page, 'one.txt', 'Tags and colour')
  const dialog = page.getByRole('dialog', { name: 'Tags and colour of one.txt' })
  await dialog.getByRole('textbox', { name: 'Tags' }).fill('family')
  await dialog.getByRole('button', { name: 'Done' }).click()
  const signature = page.getByRole('dialog', { name: 'One more signature' })
  wallet.rejectNext('personal_sign')
  await signature.getByRole('button', { name: 'Sign' }).click()
  await signature.getByText('Rejected in the wallet').waitFor()
  await signature.getByRole('button', { name: 'Cancel' }).click()
  await signature.waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Done', disabled: false }).waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await signature.getByRole('button', { name: 'Sign' }).click()
  await page.getByRole('button', { name: '#family' }).waitFor()
})

test('shares and moves an open file from its header', async () => {
  const { page, wallet, checkAccessibility } = await openDrivePage(site, ['open.txt'])
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadEncryptedText(client, 'closed', { name: 'closed.txt' })
  await page.reload()
  await createFolder(page, 'letters')
  // A copied link gives no access to an encrypted file.
  for (const [name, hint] of [
    ['closed.txt', 'Only you and people with access can open it. Give access with Share.'],
    ['open.txt', 'Anyone with the link can open it.'],
  ] as const) {
    await act(page, name, 'Copy link')
    await page.getByText(hint).waitFor()
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Dismiss' }).click()
  }
  const head = (name: string) => page.getByRole('dialog', { name, exact: true })
  await link(page, 'closed.txt').click()
  await head('closed.txt').getByRole('button', { name: 'Share' }).click()
  await page.getByRole('dialog', { name: 'Share this file' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Share this file' }).waitFor({ state: 'detached' })
  // A second time, too.
  await head('closed.txt').getByRole('button', { name: 'Share' }).first().click()
  await page.getByRole('dialog', { name: 'Share this file' }).waitFor()
  await page.keyboard.press('Escape')
  await head('closed.txt').getByRole('button', { name: 'Next file' }).click()
  await head('open.txt').getByRole('link', { name: 'Preview' }).click()
  await head('open.txt').getByText('content of open.txt').waitFor()
  await head('open.txt').getByRole('button', { name: 'Share' }).click()
  await head('open.txt').getByText('Anyone can read this file').waitFor()
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await checkAccessibility()).toEqual([])
  await head('open.txt').getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog', { name: 'Move open.txt' }).getByText('letters', { exact: true }).click()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Move into letters' }).click()
  await page.getByText('open.txt moved to letters').waitFor()
  await head('open.txt').waitFor()
  await page.keyboard.press('Escape')
  await link(page, 'open.txt').waitFor({ state: 'detached' })
})

test('if there is no other folder, Move asks for a name, creates the folder and moves into it by keyboard', async () => {
  const { page, checkAccessibility } = await openDrivePage(site, ['a.txt', 'b.txt'])
  await act(page, 'a.txt', 'Move')
  const dialog = page.getByRole('dialog', { name: 'Move a.txt' })
  const name = dialog.getByRole('textbox', { name: 'Name of the new folder in My files' })
  await name.and(dialog.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('A name needs at least one character.').waitFor()
  await page.keyboard.type('b.txt')
  await page.keyboard.press('Enter')
  await dialog.getByText('b.txt already exists here. Choose another name.').waitFor()
  await name.fill('letters')
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('a.txt moved to letters').waitFor()
  await link(page, 'a.txt').waitFor({ state: 'detached' })

  // If there are folders to choose from, a new one is an option, created inside the chosen one.
  await act(page, 'b.txt', 'Move')
  await page.getByRole('dialog').getByText('letters', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Name of the new folder in letters' }).fill('old')
  await page.getByRole('button', { name: 'Create and move' }).click()
  await page.getByText('b.txt moved to old').waitFor()
  await link(page, 'letters').click()
  await link(page, 'a.txt').waitFor()
  await link(page, 'old').click()
  await link(page, 'b.txt').waitFor()
})

test('pastes cut items into an empty folder, and page shortcuts work without a list', async () => {
  const { page } = await openDrivePage(site, ['a.txt', 'b.txt'])
  await createFolder(page, 'letters')
  await page.getByRole('checkbox', { name: 'Select a.txt' }).check()
  await page.keyboard.press('Control+x')
  await link(page, 'letters').click()
  await page.getByText('This folder is empty').waitFor()
  await page.keyboard.press('Control+v')
  await link(page, 'a.txt').waitFor()
  // The click that opened the folder left no element focused.
  await page.keyboard.press('Backspace')
  await link(page, 'letters').waitFor()
  await link(page, 'a.txt').waitFor({ state: 'detached' })
  // A folder has no CID, so copying it would only empty the clipboard.
  await page.getByRole('checkbox', { name: 'Select letters' }).check()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Star' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Copy CID' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: 'Select b.txt' }).check()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy CID' }).click()
  await page.getByText('1 CID copied', { exact: true }).waitFor()
})

test('the palette offers no recent file that is in the trash, directly or with its folder, no earlier version, and no file twice', async () => {
  const { page, client } = await openDrivePage(site, ['gone.txt', 'inner.txt', 'plan.txt'])
  for (const name of ['plan.txt', 'copy.txt']) await uploadText(client, 'a later plan', { name })
  await page.reload()
  await page.getByText('2 versions').waitFor()
  await createFolder(page, 'box')
  await act(page, 'inner.txt', 'Move')
  await page.getByRole('dialog').getByText('box', { exact: true }).click()
  await page.getByRole('button', { name: 'Move into box' }).click()
  await link(page, 'inner.txt').waitFor({ state: 'detached' })
  for (const name of ['gone.txt', 'box']) {
    await act(page, name, 'Move to trash')
    await link(page, name).waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Control+k')
  const recent = page.getByRole('group', { name: 'Recent files' }).getByRole('option')
  await recent.first().waitFor()
  expect(await recent.allTextContents()).toEqual([expect.stringMatching(/^plan\.txt/)])
})

test('finds files in a search started in the trash or among the duplicates', async () => {
  const { page } = await openDrivePage(site, ['alpha.txt', 'beta.txt'])
  await act(page, 'beta.txt', 'Move to trash')
  const search = page.getByRole('searchbox')
  for (const place of ['Trash', 'Duplicates']) {
    await goTo(page, place)
    await search.fill('alpha')
    await link(page, 'alpha.txt').waitFor()
    await page.getByText('1 item', { exact: true }).waitFor()
  }
  // The address cannot be longer, so a longer search would find nothing.
  await search.fill('z'.repeat(300))
  await page.getByText('No matching files').waitFor()
})

test('the places of Files stay where they are when they are opened, also with tags', async () => {
  const { page, wallet, open } = await openDrivePage(site, ['alpha.txt', 'beta.txt', 'gone.txt'])
  const drive = await openDrive(await createAccountClient(site.network, wallet.accounts[0]))
  await drive.change((edit) => {
    edit.tag('/alpha.txt', 'family')
    edit.trash('/gone.txt')
  })
  const places = page.getByRole('navigation', { name: 'Places' })
  const names = ['My files', 'Starred', 'Duplicates', 'Trash', 'All uploads']
  for (const [width, height] of [
    [1280, 800],
    [768, 1024],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height })
    await open('/files')
    await page.getByRole('button', { name: '#family' }).waitFor()
    const tops: unknown[] = []
    for (const name of names) {
      await goTo(page, name)
      await places.getByRole('link', { name }).and(page.locator('[aria-current=page]')).waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.locator('.animate-skeleton').count()).toBe(0)
      tops.push((await places.boundingBox())?.y)
    }
    expect(new Set(tops).size, `${tops} at ${width} px`).toBe(1)
  }
})

test('all files are selected by a checkbox above the list, and with a finger in the bar of a selection', async () => {
  const { page } = await openDrivePage(site, ['a.txt', 'b.txt', 'c.txt'])
  const all = page.getByRole('checkbox', { name: 'Select all 3 items' })
  const bar = page.getByRole('region', { name: 'Selected files' })
  await all.click()
  await bar.getByText('3 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select b.txt' }).click()
  await bar.getByText('2 selected').waitFor()
  expect(await all.evaluate((one: HTMLInputElement) => one.indeterminate)).toBe(true)
  await all.click()
  await all.click()
  await bar.waitFor({ state: 'detached' })
  const opened = await openDrivePage(site, ['d.txt', 'e.txt'], { width: 390, height: 844, isPhone: true })
  await opened.page.getByRole('checkbox', { name: 'Select d.txt' }).click()
  await opened.page.getByRole('button', { name: 'More actions' }).click()
  await opened.page.getByRole('menuitem', { name: 'Select all 2 items' }).click()
  await opened.page.getByText('2 selected').waitFor()
  await opened.page.getByRole('button', { name: 'More actions' }).click()
  await opened.page.getByRole('menuitem', { name: 'Star' }).waitFor()
  expect(await opened.page.getByRole('menuitem', { name: /^Select all/ }).count()).toBe(0)
  expect(await opened.checkAccessibility()).toEqual([])
})

test('the details of a file say when it was added, and its folder', async () => {
  const { page } = await openDrivePage(site, ['plan.txt', 'other.txt'])
  await createFolder(page, 'letters')
  await act(page, 'plan.txt', 'Move')
  await page.getByRole('dialog').getByText('letters', { exact: true }).click()
  await page.getByRole('button', { name: 'Move into letters' }).click()
  const details = page.getByRole('dialog').locator('dl')
  await act(page, 'other.txt', 'Details')
  await details.getByText('My files', { exact: true }).waitFor()
  await details.getByText(/^\w{3} \d+, \d{4}, /).waitFor()
  await page.keyboard.press('Escape')
  await link(page, 'letters').click()
  await act(page, 'plan.txt', 'Details')
  await details.getByText('/letters', { exact: true }).waitFor()
})

test('a very long name leaves room for the dialogs of its item on a phone', async () => {
  const name = `${'a long name '.repeat(80)}.txt`
  const opened = await openDrivePage(site, [name])
  const { page } = opened
  await page.setViewportSize({ width: 360, height: 640 })
  await act(page, name, 'Tags and colour')
  const dialog = page.getByRole('dialog', { name: /^Tags and colour of a long name/ })
  for (const button of ['Add', 'Done']) {
    const box = await dialog.getByRole('button', { name: button, exact: true }).boundingBox()
    expect(box === null ? undefined : box.y + box.height).toBeLessThanOrEqual(640)
  }
  expect(await opened.checkAccessibility()).toEqual([])
  // In the row, its tag is as narrow as possible.
  const tag = 'a tag with a long name'
  await dialog.getByRole('textbox', { name: 'Tags' }).fill(tag)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 800, height: 640 })
  const shown = page.getByRole('row').getByText(tag, { exact: true }).locator('..')
  await expect.poll(async () => (await shown.boundingBox())?.width, { timeout: 60_000 }).toBe(64)
})

test('a folder that no longer exists offers the way back, and no new folder in it', async () => {
  const opened = await openDrivePage(site, ['a.txt'])
  const { page } = opened
  await opened.open(`/files?folder=d-${'a'.repeat(22)}`)
  await page.getByRole('heading', { name: 'This folder no longer exists' }).waitFor()
  expect(await page.getByRole('button', { name: 'New folder' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Go to My files' }).click()
  await link(page, 'a.txt').waitFor()
  await page.getByRole('button', { name: 'New folder' }).waitFor()
})

test('the trash keeps items until they are restored or permanently deleted, and Undo reverts a deletion', async () => {
  const { page, checkAccessibility } = await openDrivePage(site, ['keep.txt', 'gone.txt', 'undo.txt'])
  await act(page, 'undo.txt', 'Move to trash')
  await link(page, 'undo.txt').waitFor({ state: 'detached' })
  // Its text is on one line.
  expect((await page.getByText('undo.txt moved to the trash').boundingBox())?.height).toBeLessThan(30)
  await page.getByRole('button', { name: 'Undo' }).click()
  await link(page, 'undo.txt').waitFor()
  // An item restored in another way offers no undo, even before its time is over.
  await act(page, 'undo.txt', 'Move to trash')
  await goTo(page, 'Trash')
  await page.getByRole('button', { name: 'Restore undo.txt' }).click()
  await page.getByText('undo.txt moved to the trash').waitFor({ state: 'detached', timeout: 6000 })
  await goTo(page, 'My files')
  await link(page, 'undo.txt').waitFor()
  for (const name of ['keep.txt', 'gone.txt']) {
    await act(page, name, 'Move to trash')
    await link(page, name).waitFor({ state: 'detached' })
  }
  await goTo(page, 'Trash')
  await page.getByText('They still use storage').waitFor()
  const trash = page.getByRole('list', { name: 'Trash' })
  const due = trash.getByText('30 days left').first()
  await due.waitFor()
  expect(await checkAccessibility()).toEqual([])
  // The days that remain are not cut off on a phone.
  await page.setViewportSize({ width: 360, height: 740 })
  expect(
    await due.evaluate((one) => Number(Reflect.get(one, 'scrollWidth')) <= Number(Reflect.get(one, 'clientWidth'))),
  ).toBe(true)
  expect(
    await due.evaluate((one) => Number(Reflect.get(one, 'scrollHeight')) <= Number(Reflect.get(one, 'clientHeight'))),
  ).toBe(true)
  // No line starts with the dot between two facts.
  for (let width = 320; width <= 430; width += 10) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(hasLeadingDot), `${width} px`).toBe(false)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await trash.getByRole('button', { name: 'Restore keep.txt' }).click()
  await trash.getByText('keep.txt').first().waitFor({ state: 'detached' })
  await trash.getByRole('button', { name: 'Delete permanently: gone.txt' }).click()
  await page.getByRole('dialog').getByText('gone.txt', { exact: true }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('The trash is empty').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await goTo(page, 'All uploads')
  await link(page, 'keep.txt').waitFor()
  expect(await link(page, 'gone.txt').count()).toBe(0)
  await goTo(page, 'My files')
  await link(page, 'keep.txt').waitFor()
})

test('an open file offers the actions of its row, and shows the next file after it is deleted', async () => {
  const { page, checkAccessibility } = await openDrivePage(site, ['a.txt', 'b.txt', 'c.txt'])
  const head = (name: string) => page.getByRole('dialog', { name, exact: true })
  const choose = async (name: string, action: string) => {
    await head(name)
      .getByRole('button', { name: `Actions for ${name}` })
      .click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  await link(page, 'b.txt').click()
  await head('b.txt').getByText('content of b.txt').waitFor()
  await head('b.txt').getByRole('button', { name: 'Actions for b.txt' }).click()
  await page.getByRole('menuitem', { name: 'Copy CID' }).waitFor()
  // The tabs and buttons of the file show these.
  expect(await page.getByRole('menuitem', { name: /^(Details|Share|Move)$/ }).count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await choose('b.txt', 'Star')
  await choose('b.txt', 'Remove star')
  await choose('b.txt', 'Rename')
  await page.getByRole('dialog', { name: 'Rename' }).getByRole('textbox').fill('bee.txt')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Rename' }).waitFor({ state: 'detached' })
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Actions for / })
    .click()
  await page.getByRole('menuitem', { name: 'Move to trash' }).click()
  await head('c.txt').getByText('content of c.txt').waitFor()
  await page.getByText('bee.txt moved to the trash').waitFor()
  await choose('c.txt', 'Move to trash')
  await head('a.txt').getByText('content of a.txt').waitFor()
  await choose('a.txt', 'Move to trash')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('Ctrl+Z reverts deletions one by one, and messages name what they are about', async () => {
  const { page } = await openDrivePage(site, ['one.txt', 'two.txt'])
  for (const name of ['one.txt', 'two.txt']) {
    await act(page, name, 'Move to trash')
    await page.getByText(`${name} moved to the trash`).waitFor()
  }
  await page.keyboard.press('Control+z')
  await link(page, 'two.txt').waitFor()
  await page.getByText('two.txt restored').waitFor()
  expect(await link(page, 'one.txt').count()).toBe(0)
  await page.keyboard.press('Control+z')
  await link(page, 'one.txt').waitFor()
})

test('several items of the trash are restored or deleted together, or all at once', async () => {
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt']
  const { page, checkAccessibility } = await openDrivePage(site, names)
  // Nothing has the focus after a page is opened.
  const bar = page.getByRole('region', { name: 'Selected files' })
  await page.keyboard.press('Control+a')
  await bar.getByText('5 selected').waitFor()
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.getByText('5 items moved to the trash').waitFor()
  await goTo(page, 'Trash')
  const trash = page.getByRole('list', { name: 'Trash' })
  const box = (name: string) => trash.getByRole('checkbox', { name: `Select ${name}` })
  await box('a.txt').click()
  await box('c.txt').click({ modifiers: ['Shift'] })
  await bar.getByText('3 selected').waitFor()
  const all = page.getByRole('checkbox', { name: 'Select all 5 items' })
  expect(await all.evaluate((one) => Reflect.get(one, 'indeterminate'))).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await box('b.txt').click()
  await bar.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('2 items restored').waitFor()
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select all 3 items' }).click()
  await bar.getByText('3 selected').waitFor()
  await box('d.txt').click()
  await bar.getByRole('button', { name: 'Delete permanently' }).click()
  const question = page.getByRole('dialog', { name: 'Delete 2 items permanently?' })
  await question.getByRole('button', { name: 'Delete permanently' }).click()
  await bar.waitFor({ state: 'detached' })
  await box('d.txt').waitFor()
  await page.getByRole('button', { name: 'Restore all' }).click()
  await page.getByText('The trash is empty').waitFor()
  await goTo(page, 'My files')
  for (const name of ['a.txt', 'c.txt', 'd.txt']) await link(page, name).waitFor()
  expect(await page.getByRole('grid').getByRole('link').count()).toBe(3)
})

test('a permanent deletion that stops half-way does not claim that nothing changed', async () => {
  const { page, context, expectProblem } = await openDrivePage(site, ['gone.txt'])
  expectProblem(/ERR_FAILED|ERR_CONNECTION/)
  await act(page, 'gone.txt', 'Move to trash')
  await page.getByText('gone.txt moved to the trash').waitFor()
  await goTo(page, 'Trash')
  // The content is deleted, but then the entry of the drive cannot be.
  await context.route(/\/api\/drive\/parts/, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Delete permanently: gone.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('Not all of it was deleted permanently').waitFor()
  await goTo(page, 'All uploads')
  await page.getByText('Nothing here yet').waitFor()
})

test('key presses in the menu of an item do not act on its list', async () => {
  const { page } = await openDrivePage(site, ['plan.txt'])
  await createFolder(page, 'box')
  await link(page, 'box').click()
  await page.getByText('This folder is empty').waitFor()
  await createFolder(page, 'inner')
  const address = page.url()
  // In the path to a folder, only its end is the current one.
  expect(await page.getByRole('main').locator('nav ol [aria-current]').allTextContents()).toEqual(['box'])
  await page.getByRole('button', { name: 'Actions for inner' }).click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.press('F2')
  await menu.waitFor()
  expect(page.url()).toBe(address)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Backspace')
  await link(page, 'plan.txt').waitFor()
})
