// The drive of the console in a real browser: folders, moves, marks, trash, versions, duplicates, and two devices at once.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Client,
  createClient,
  openDrive,
  transferFile,
  uploadBytes,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { createKeyClient } from '../fixtures.ts'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { nextSaved } from './next-saved.ts'
import { readZip } from './read-zip.ts'
import { startUpload } from './start-upload.ts'
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

async function clientOf(page: ConsolePage['page']): Promise<Client> {
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  return createClient({ network: site.network.profile, apiKey })
}

/** A page of an account with these files, one after the other. */
async function openDrivePage(
  names: readonly string[],
  options: Parameters<ConsoleTest['newPage']>[0] = {},
): Promise<ConsolePage & { client: Client }> {
  const opened = await site.newPage(options)
  await opened.open('/files')
  await opened.signIn()
  const client = await clientOf(opened.page)
  for (const name of names) await uploadText(client, `content of ${name}`, { name })
  await opened.page.reload()
  const last = names.at(-1)
  if (last !== undefined) await link(opened.page, last).waitFor()
  return { ...opened, client }
}

const link = (page: ConsolePage['page'], name: string) =>
  page.getByRole('grid').getByRole('link', { name, exact: true })
const act = async (page: ConsolePage['page'], name: string, action: string) => {
  await link(page, name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
const goTo = (page: ConsolePage['page'], place: string) =>
  page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place }).click()

/** Runs in the page: whether a line in the trash begins with the dot between two facts. */
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
      // A space that ends a line has no place of its own.
      if (topOf(node, at) > topOf(node, at - 2) + 4) return true
    }
  }
  return false
})()`

async function createFolder(page: ConsolePage['page'], name: string): Promise<void> {
  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Folder name' }).fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await link(page, name).waitFor()
}

test('folders hold files: created, moved into by dialog and by drag, opened, renamed, and kept over a reload', async () => {
  const { page, context, open, checkAccessibility } = await openDrivePage(['a.txt', 'b.txt', 'c.txt'])
  await createFolder(page, 'letters')
  await page.getByText('4 items', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Folder name' }).fill('letters')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('letters already exists here.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')

  await act(page, 'a.txt', 'Move')
  await page.getByRole('dialog').getByText('letters', { exact: true }).click()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Move into letters' }).click()
  await link(page, 'a.txt').waitFor({ state: 'detached' })
  if (isFirefox) {
    // WebDriver BiDi drags nothing in Firefox.
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
  // Also while it is open, it has the name that the service does not know.
  await page.getByRole('dialog', { name: 'may.txt', exact: true }).getByText('content of a.txt').waitFor()
  // The keyboard starts at its head, and no button of it looks pressed.
  expect(await page.evaluate("document.activeElement?.getAttribute('role')")).toBe('dialog')
  await page.keyboard.press('Escape')
  await link(page, 'may.txt').waitFor()
  expect(await checkAccessibility()).toEqual([])
  // The palette finds it by this name, which the service cannot read, and not by the one before.
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('may')
  await palette.getByRole('option', { name: /^may\.txt/ }).waitFor()
  await palette.getByRole('combobox').fill('a.txt')
  await palette.getByText('No results', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  // Also on a page that does not list files: the first palette opens the folders, and nothing does before it.
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

test('stars, tags and colours are set and found again; the keyboard works as in a file manager', async () => {
  const { page, checkAccessibility } = await openDrivePage(['one.txt', 'two.txt'], {
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
  // All places are in sight at 320 px: none needs a scroll to the side.
  const isWithin = "((nav) => nav.scrollWidth <= nav.clientWidth)(document.querySelector('nav[aria-label=Places]'))"
  expect(await page.evaluate(isWithin)).toBe(true)
  // While it is used, the search is as wide as the window.
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
  // WebDriver BiDi presses the keys, but Firefox opens no context menu for them without a window.
  if (!isFirefox) {
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'Actions for two.txt' })
    await menu.waitFor()
    // It takes the keys some moments after it is shown.
    await expect
      .poll(() => menu.evaluate((one) => Boolean(Reflect.get(one, 'matches').call(one, ':focus-within'))))
      .toBe(true)
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+x')
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
  // Keys act on the row that the arrows reached, and then on the one that took its place.
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

test('the head of an open file shares it, and moves it into another folder', async () => {
  const { page, wallet, checkAccessibility } = await openDrivePage(['open.txt'])
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadEncryptedText(client, 'closed', { name: 'closed.txt' })
  await page.reload()
  await createFolder(page, 'letters')
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
  await page.getByRole('dialog', { name: 'Move 1 item' }).getByText('letters', { exact: true }).click()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Move into letters' }).click()
  await page.getByText('1 item moved to letters').waitFor()
  await head('open.txt').waitFor()
  await page.keyboard.press('Escape')
  await link(page, 'open.txt').waitFor({ state: 'detached' })
})

test('the trash keeps items until they are restored or deleted permanently, and deleting can be undone', async () => {
  const { page, checkAccessibility } = await openDrivePage(['keep.txt', 'gone.txt', 'undo.txt'])
  await act(page, 'undo.txt', 'Move to trash')
  await link(page, 'undo.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await link(page, 'undo.txt').waitFor()
  // What was restored otherwise offers no undo, before its time is over.
  await act(page, 'undo.txt', 'Move to trash')
  await goTo(page, 'Trash')
  await page.getByRole('button', { name: 'Restore undo.txt' }).click()
  await page.getByText('1 item moved to the trash').waitFor({ state: 'detached', timeout: 6000 })
  await goTo(page, 'My files')
  await link(page, 'undo.txt').waitFor()
  for (const name of ['keep.txt', 'gone.txt']) {
    await act(page, name, 'Move to trash')
    await link(page, name).waitFor({ state: 'detached' })
  }
  await goTo(page, 'Trash')
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
  // No line begins with the dot between two facts.
  for (let width = 320; width <= 430; width += 10) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(hasLeadingDot), `${width} px`).toBe(false)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await trash.getByRole('button', { name: 'Restore keep.txt' }).click()
  await trash.getByText('keep.txt').first().waitFor({ state: 'detached' })
  await trash.getByRole('button', { name: 'Delete permanently: gone.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('The trash is empty').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await goTo(page, 'All uploads')
  await link(page, 'keep.txt').waitFor()
  expect(await link(page, 'gone.txt').count()).toBe(0)
  await goTo(page, 'My files')
  await link(page, 'keep.txt').waitFor()
})

test('uploads go into the open folder; a name that is there becomes a version; copies are found by their CID', async () => {
  const { page, client, checkAccessibility } = await openDrivePage(['plan.txt'])
  await createFolder(page, 'work')
  await link(page, 'work').click()
  const path = join(folder, 'plan.txt')
  for (const text of ['first plan', 'second plan']) {
    await writeFile(path, text)
    await page.getByRole('button', { name: 'Upload' }).first().click()
    await page.setInputFiles('input[data-upload=files]', path)
    await page.getByText('Into work').waitFor()
    await startUpload(page, 'public')
    await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).first().waitFor()
    await link(page, 'plan.txt').waitFor()
  }
  await page.getByText('2 versions').waitFor()
  const size = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('row').filter({ hasText: 'plan.txt' }).getByText('· 2 versions').waitFor()
  await page.setViewportSize(size)
  await act(page, 'plan.txt', 'Versions')
  expect(await checkAccessibility()).toEqual([])
  // An earlier version says what it is, and becomes the current one where it is read.
  await page.getByRole('dialog').getByRole('link', { name: 'Open' }).last().click()
  const open = page.getByRole('dialog', { name: 'plan.txt' })
  await open.getByText('first plan').waitFor()
  await open.getByText(/^Earlier version, from /).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await open.getByRole('link', { name: 'Open the current one' }).click()
  await open.getByText('second plan').waitFor()
  expect(await open.getByText(/^Earlier version, from /).count()).toBe(0)
  await page.goBack()
  await act(page, 'plan.txt', 'Versions')
  await page.getByRole('dialog').getByRole('link', { name: 'Open' }).last().click()
  await open.getByRole('button', { name: 'Make current' }).click()
  await page.getByText('plan.txt has its earlier version again').waitFor()
  await open.getByText(/^Earlier version, from /).waitFor({ state: 'detached' })
  await page.goBack()
  await uploadText(client, 'content of plan.txt', { name: 'copy.txt' })
  await page.reload()
  await link(page, 'plan.txt').waitFor()
  await goTo(page, 'Duplicates')
  await page.getByText('/plan.txt, uploaded 2 times').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Remove copies plan.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove copies' }).click()
  await page.getByText('No duplicates').waitFor()
})

test('two devices change the drive at once: both changes stay, and so does the selection', async () => {
  const { page, context } = await openDrivePage(['x.txt', 'y.txt'])
  await createFolder(page, 'ours')
  const other = await context.newPage()
  await other.goto('/files')
  await link(other, 'ours').waitFor()
  await page.getByRole('checkbox', { name: 'Select y.txt' }).check()
  await act(other, 'x.txt', 'Move')
  await other.getByRole('dialog').getByText('ours', { exact: true }).click()
  await other.getByRole('button', { name: 'Move into ours' }).click()
  await link(other, 'x.txt').waitFor({ state: 'detached' })
  // This page has not seen that change, and adds its own.
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Star' }).click()
  await link(page, 'x.txt').waitFor({ state: 'detached' })
  await page.getByText('1 selected').waitFor()
  await page.getByRole('row').filter({ hasText: 'y.txt' }).getByLabel('Starred').waitFor()
  await other.reload()
  await other.getByRole('row').filter({ hasText: 'y.txt' }).getByLabel('Starred').waitFor()
})

test('a selection of public and encrypted files and folders is saved as one ZIP, verified and decrypted', async () => {
  const { page, context, wallet, checkAccessibility } = await openDrivePage(['plain.txt'])
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadEncryptedText(client, 'a secret', { name: 'secret.txt' })
  const large = randomBytes(3_000_000)
  const { cid } = await uploadBytes(client, large, { name: 'large.bin' })
  const none = new Blob([], { type: 'application/x-directory' })
  const inStored = [
    { path: 'sub/inner.txt', content: new Blob(['inner']) },
    { path: 'sub/later', content: none },
  ]
  await uploadFolder(client, inStored, { name: 'stored' })
  const inSealed = [
    { path: 'note.txt', content: 'sealed' },
    { path: 'no/files', content: none },
  ]
  await uploadEncryptedFolder(client, inSealed, { name: 'sealed', asOne: true })
  await page.reload()
  await link(page, 'stored').waitFor()
  await createFolder(page, 'bare')
  await createFolder(page, 'box')
  await act(page, 'large.bin', 'Move')
  await page.getByRole('dialog').getByText('box', { exact: true }).click()
  await page.getByRole('button', { name: 'Move into box' }).click()
  await link(page, 'large.bin').waitFor({ state: 'detached' })
  await page.evaluate(saveIntoStorage)
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' }).click()
  // How many files are in the stored folder is not known yet.
  await page.getByRole('dialog', { name: 'Download 6 items as a ZIP' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  // The download continues when its dialog is closed.
  const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>()
  await context.route(new RegExp(cid), async (route) => {
    await isClosed
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save ZIP, about 2.9 MiB' }).click()
  await page.getByText('You can close this window.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('Writing to your disk').waitFor()
  closed()
  await panel.getByText('Cairn files.zip saved').waitFor()
  expect(await checkAccessibility()).toEqual([])
  const files = readZip(await readStored(page, 'Cairn files.zip'))
  expect([...files.keys()].sort()).toEqual([
    'bare/',
    'box/large.bin',
    'plain.txt',
    'sealed/no/files/',
    'sealed/note.txt',
    'secret.txt',
    'stored/sub/inner.txt',
    'stored/sub/later/',
  ])
  expect(files.get('secret.txt')?.toString()).toBe('a secret')
  expect(files.get('stored/sub/inner.txt')?.toString()).toBe('inner')
  expect(files.get('box/large.bin')?.equals(large)).toBe(true)
})

test('who lost the key of the folders starts new ones; all files are there', async () => {
  const opened = await site.newPage({ theme: 'dark', width: 320, height: 720 })
  const { page, open, signIn, wallet, checkAccessibility } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const other = await createKeyClient(site.network)
  await uploadText(client, 'dear Ida', { name: 'may.txt' })
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/letters')
    edit.move('/may.txt', '/letters')
  })
  const { keyCid = '' } = drive.known ?? {}
  await transferFile(client, keyCid, other.address, { resetSharedTo: true })
  await open('/files')
  await signIn()
  await page.getByText('The key of your folders is lost').waitFor()
  await link(page, 'may.txt').waitFor()
  await page.getByRole('button', { name: 'Start new folders' }).click()
  const asking = page.getByRole('dialog', { name: 'Start new folders?' })
  await asking.getByText(/All files stay/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  const saved = nextSaved(page)
  await asking.getByRole('button', { name: 'Start new folders' }).click()
  expect((await saved).name).toBe('cairn-folders.json')
  await page.getByRole('navigation', { name: 'Places' }).waitFor()
  await link(page, 'may.txt').waitFor()
  await createFolder(page, 'new letters')
  await expect.poll(async () => (await openDrive(client)).find('/new letters')?.kind).toBe('folder')
})
