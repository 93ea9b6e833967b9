// Links in the console: created by the owner of a file, opened by people with neither a wallet nor an account.
import {
  type Client,
  createLink,
  deleteFile,
  type LinkOptions,
  listFiles,
  listLinks,
  openLink,
  revokeLink,
  uploadEncryptedFolder,
  uploadEncryptedText,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { nextSaved } from './next-saved.ts'
import { readZip } from './read-zip.ts'
import { createAccountClient } from './wallet-client.ts'

/** As narrow as 320 px, a touch screen, and dark. */
const phone = { accounts: 0, width: 320, height: 640, theme: 'dark', isPhone: true } as const
const patient = { timeout: 60_000 }

let site: ConsoleTest
let owner: Client
const account = privateKeyToAccount(generatePrivateKey())
beforeAll(async () => {
  site = await openConsoleTest()
  owner = await createAccountClient(site.network, account)
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function share(text: string, options: LinkOptions = {}) {
  const { cid } = await uploadEncryptedText(owner, text, { name: 'letter.txt' })
  return createLink(owner, cid, { name: 'letter.txt', ...options })
}

/** A console path for a link, because pages open addresses below the console's own. */
const pathOf = (url: string) => url.slice(new URL(url).origin.length)
const keyOf = (url: string) => new URL(url).hash.slice(1)

async function expectToFit({ page, checkAccessibility }: ConsolePage): Promise<void> {
  expect(await checkAccessibility()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

test('a visitor on a phone sees who shared a link, opens it with its password, and reads and saves the file', async () => {
  const link = await share('Dear Ida', { password: 'our cat', maxOpens: 3 })
  const opened = await site.newPage(phone)
  const { page, context, open } = opened
  const sent: string[] = []
  context.on('request', (request) => {
    sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`)
  })
  const logged: string[] = []
  context.on('console', (message) => logged.push(message.text()))
  await open(pathOf(link.url))
  await page.getByRole('heading', { name: 'A file or folder was shared with you' }).waitFor()
  await page.getByText(account.address.toLowerCase()).waitFor()
  expect(await page.locator('time').getAttribute('datetime')).toBe(new Date(link.expiresAt).toISOString())
  expect(await page.locator('dl').textContent()).toContain('Opens left3')
  // No part of the console that a visitor has no use for.
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Connect wallet' }).count()).toBe(0)
  await expectToFit(opened)

  const password = page.getByLabel('Password')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('Enter the password.').waitFor()
  await password.fill('our dog')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('Wrong password.').waitFor()
  await expectToFit(opened)
  await password.fill('our cat')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('heading', { name: 'letter.txt', level: 1 }).waitFor()
  await page.getByRole('region', { name: 'letter.txt' }).getByText('Dear Ida').waitFor()
  expect(await page.locator('dl').textContent()).toContain('Opens left2')
  expect(await page.locator('dl').textContent()).toContain('Size8\u00a0B')
  await expectToFit(opened)
  const saved = nextSaved(page)
  await page.getByRole('button', { name: 'Save file' }).click()
  const { name, bytes } = await saved
  expect([name, bytes.toString()]).toEqual(['letter.txt', 'Dear Ida'])

  // The key of the link was not sent, logged or stored, not even when the page is left.
  await page.reload()
  await page.getByRole('heading', { name: 'A file or folder was shared with you' }).waitFor()
  const stored = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'))
  for (const secret of [keyOf(link.url), 'our cat']) {
    expect([...sent, ...logged, stored].filter((text) => text.includes(secret))).toEqual([])
  }
  // A reload does not open it again.
  expect(await listLinks(owner)).toContainEqual(expect.objectContaining({ id: link.id, opens: 1, failures: 1 }))
})

test('reports a link that expired, was truncated, never existed, or whose file was deleted', async () => {
  const revoked = await share('one')
  await revokeLink(owner, revoked.id)
  const used = await share('two', { maxOpens: 1 })
  const other = await share('three')
  await openLink(owner, used.url)
  const opened = await site.newPage(phone)
  const { page, open } = opened
  const expectTitle = async (url: string, title: string) => {
    await open('/status')
    await open(pathOf(url))
    await page.getByRole('alert').getByRole('heading', { name: title, level: 1 }).waitFor()
    await expectToFit(opened)
  }
  await expectTitle(revoked.url, 'This link was revoked')
  await expectTitle(used.url, 'This link has been used up')
  await expectTitle(other.url.slice(0, -3), 'This link is not complete')
  await expectTitle(other.url.split('#')[0] ?? '', 'This link is not complete')
  await expectTitle(`${other.url.split('#')[0]}#${keyOf(used.url)}`, 'This link is not complete')
  await expectTitle(other.url.replace(other.id, 'A'.repeat(22)), 'Link not found')

  // Its file was deleted while the link is still valid.
  const lasting = await share('five')
  for await (const { id, cid } of listFiles(owner)) if (cid === lasting.cid) await deleteFile(owner, { id })
  await open('/status')
  await open(pathOf(lasting.url))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('alert').getByRole('heading', { name: 'This was deleted', level: 1 }).waitFor()
  await expectToFit(opened)

  // It expires while its page is open. A slow machine gets more time to open it.
  const button = page.getByRole('button', { name: 'Open', exact: true })
  const expired = page.getByRole('heading', { name: 'This link has expired', level: 1 })
  let expiresAt = 0
  for (let lastsMs = 8_000; ; lastsMs *= 2) {
    expiresAt = Date.now() + lastsMs
    await open('/status')
    await open(pathOf((await share('four', { expiresAt })).url))
    await button.or(expired).waitFor()
    if (await button.isVisible()) break
  }
  await expect
    .poll(() => Date.now(), { timeout: expiresAt - Date.now() + 10_000, interval: 500 })
    .toBeGreaterThan(expiresAt)
  await button.click()
  await expired.waitFor()
})

test('opens a link for a signed-in user while the session resumes', async () => {
  const link = await share('For all')
  const { page, open, signIn } = await site.newPage()
  await open('/files')
  await signIn()
  // The browser decides whether the session or the link comes first; in ten attempts, both occur.
  for (let times = 0; times < 10; times++) {
    await open('/files')
    await open(pathOf(link.url))
    await page.getByRole('button', { name: 'Open', exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('For all').waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
})

test('content opened by a link stays when an account session ends in another tab, because reopening counts', async () => {
  const link = await share('Still here')
  const { page: other, context, open, signIn, expectProblem } = await site.newPage()
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  await open('/files')
  await signIn()
  const page = await context.newPage()
  await page.goto(pathOf(link.url))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  const file = page.getByRole('region', { name: 'letter.txt' })
  await file.getByText('Still here').waitFor()
  await file.evaluate((element) => element.setAttribute('data-seen', ''))
  // What the page loaded is removed with the session, and loaded again.
  const loadedAgain = page.waitForResponse((response) => response.url().includes('/file_info'))
  await other.getByRole('button', { name: /^Account 0x/ }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await loadedAgain
  expect(await page.locator('[data-seen]').textContent()).toBe('Still here')
})

test('of two tabs that use the last open of a link, one gets the file and the other the reason', async () => {
  const link = await share('Only once', { maxOpens: 1 })
  const pages = await Promise.all([site.newPage(phone), site.newPage(phone)])
  for (const { page, open } of pages) {
    await open(pathOf(link.url))
    await page.getByText('This link can be opened only once more').waitFor()
  }
  await Promise.all(pages.map(({ page }) => page.getByRole('button', { name: 'Open', exact: true }).click()))
  const outcomes = await Promise.all(
    pages.map(async ({ page }) => {
      // Exactly: the link itself says "opened only once more" until the answer arrives.
      const text = page.getByText('Only once', { exact: true })
      await text
        .or(page.getByRole('heading', { name: 'This link has been used up' }))
        .first()
        .waitFor()
      return text.isVisible()
    }),
  )
  expect(outcomes.toSorted()).toEqual([false, true])
})

test('a link to a folder lists and opens its files; a file without a preview is saved as a stream', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(65_536))
  const [folder] = await uploadEncryptedFolder(
    owner,
    [
      { path: 'trip/plan.txt', content: new Blob(['Day one']) },
      { path: 'trip/raw/data.bin', content: new Blob([bytes]) },
      { path: 'trip/raw/later', content: new Blob([], { type: 'application/x-directory' }) },
      { path: 'back', content: new Blob([], { type: 'application/x-directory' }) },
    ],
    { name: 'trip', asOne: true },
  )
  const { url } = await createLink(owner, folder?.cid ?? '', { name: 'trip' })
  const opened = await site.newPage(phone)
  const { page, context, open } = opened
  // The test chooses the file for the user; the file itself belongs to the browser.
  await context.addInitScript(saveIntoStorage)
  await open(pathOf(url))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  const list = page.getByRole('list', { name: 'Names in this folder' })
  await list.waitFor()
  expect(await page.locator('dl').textContent()).toContain('Size64\u00a0KiB')
  await expectToFit(opened)
  // All of it as one ZIP: first cancelled, then saved.
  const { promise: isCancelled, resolve: cancelled } = Promise.withResolvers<void>()
  const blocks = new RegExp(`/ipfs/${folder?.cid}`)
  await context.route(blocks, async (route) => {
    await isCancelled
    await route.continue().catch(() => undefined)
  })
  await page.getByRole('button', { name: 'Download 2 files as a ZIP' }).click()
  const zipping = page.getByRole('dialog', { name: 'Download 2 files as a ZIP' })
  await zipping.getByRole('button', { name: 'Save ZIP, about 64 KiB' }).click()
  await expectToFit(opened)
  await zipping.getByRole('button', { name: 'Cancel download' }).click()
  await zipping.getByText('The download was cancelled.').waitFor()
  await expectToFit(opened)
  cancelled()
  await context.unroute(blocks)
  await zipping.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Download 2 files as a ZIP' }).click()
  await zipping.getByRole('button', { name: 'Save ZIP, about 64 KiB' }).click()
  await zipping.getByText(/^Saved 2 files, 64/).waitFor({ timeout: 20_000 })
  await expectToFit(opened)
  await zipping.getByRole('button', { name: 'Done' }).click()
  const zip = readZip(await readStored(page, 'trip.zip'))
  expect([...zip.keys()].sort()).toEqual([
    'trip/back/',
    'trip/trip/plan.txt',
    'trip/trip/raw/data.bin',
    'trip/trip/raw/later/',
  ])
  expect(zip.get('trip/trip/plan.txt')?.toString()).toBe('Day one')
  expect(zip.get('trip/trip/raw/data.bin')?.equals(Buffer.from(bytes))).toBe(true)
  if ((await list.getByRole('button', { name: /^trip/ }).count()) > 0)
    await list.getByRole('button', { name: /^trip/ }).click()
  await list.getByRole('button', { name: /^plan\.txt/ }).click()
  await page.getByText('Day one').waitFor()
  // Back stays on the page, because the link would have to be opened again.
  await page.goBack()
  await list.getByRole('button', { name: /^plan\.txt/ }).click()
  await page.getByText('Day one').waitFor()
  await page.getByRole('button', { name: 'Up one folder' }).click()
  await list.getByRole('button', { name: /^raw/ }).click()
  // The nested folder, as a separate ZIP.
  await page.getByRole('button', { name: 'Download 1 file as a ZIP' }).click()
  const part = page.getByRole('dialog', { name: 'Download 1 file as a ZIP' })
  await part.getByRole('button', { name: 'Save ZIP, about 64 KiB' }).click()
  await part.getByText(/^Saved 1 file, 64/).waitFor({ timeout: 20_000 })
  await expectToFit(opened)
  await part.getByRole('button', { name: 'Done' }).click()
  const below = readZip(await readStored(page, 'raw.zip'))
  expect([...below.keys()]).toEqual(['raw/data.bin', 'raw/later/'])
  await list.getByRole('button', { name: /^later/ }).click()
  await page.getByText('This folder is empty').waitFor()
  await page.goBack()
  expect(below.get('raw/data.bin')?.equals(Buffer.from(bytes))).toBe(true)
  await list.getByRole('button', { name: /^data\.bin/ }).click()
  await page.getByText('This page does not show files of this kind').waitFor()
  await expectToFit(opened)
  await page.getByRole('button', { name: 'Save file' }).click()
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
  const saved = await page.evaluate<number[]>(
    `navigator.storage.getDirectory().then((folder) => folder.getFileHandle('data.bin')).then((handle) => handle.getFile())
      .then((file) => file.arrayBuffer()).then((buffer) => [...new Uint8Array(buffer)])`,
  )
  expect(Buffer.from(saved).equals(Buffer.from(bytes))).toBe(true)
  expect(new URL(page.url()).hash.slice(1)).toBe(keyOf(url))
})

test('a shared folder is called a folder', async () => {
  const { page, wallet, open } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const [folder] = await uploadEncryptedFolder(client, [{ path: 'a.txt', content: new Blob(['a']) }], {
    name: 'trip',
    asOne: true,
  })
  await open(`/files/${folder?.cid}/access?share=true`)
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('dialog', { name: 'Share this folder' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('A link opens this folder for people without a wallet.').waitFor()
  await page.getByRole('link', { name: 'Back to the folder' }).waitFor()
  expect(await page.getByText(/this file/).count()).toBe(0)
})

test('the owner creates a link while sharing, sees its opens, and revokes it', async () => {
  const opened = await site.newPage()
  const { page, wallet, open, checkAccessibility } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Where the treasure lies', { name: 'map.txt' })
  await open(`/files/${cid}/access?share=true`)
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  const sharing = page.getByRole('dialog', { name: 'Share this file' })
  await sharing.getByRole('button', { name: 'Create a link' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a link' })
  await dialog.getByLabel('Number of opens').fill('none')
  const wrong = dialog.getByText('Enter a whole number from 1 to 100,000.')
  expect(await wrong.count()).toBe(0)
  await page.keyboard.press('Tab')
  await wrong.waitFor()
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByLabel('Number of opens').fill('2')
  await dialog.getByText('1 day', { exact: true }).click()
  await dialog.getByLabel('Password (optional)').fill('x marks it')
  await dialog.getByLabel('Label (optional)').fill('for Ida')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const made = page.getByRole('dialog', { name: 'Link ready' })
  await made.getByRole('img', { name: 'QR code of the link' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  await expectToFit(opened)
  await page.setViewportSize({ width: 1280, height: 800 })
  await made.getByRole('button', { name: 'Copy link' }).click()
  const url = String(await page.evaluate('navigator.clipboard.readText()'))
  await made.getByRole('button', { name: 'Done' }).click()

  const links = page.getByRole('list', { name: 'Links' })
  const row = links.getByRole('listitem').filter({ hasText: 'for Ida' })
  await row.getByText('Active').waitFor()
  await row.getByText('0 of 2 opens · expires tomorrow').waitFor()
  expect(await openLink(client, url, { password: 'x marks it' })).toMatchObject({ cid, name: 'map.txt' })
  // The page is visible again.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  await row.getByText('1 of 2 opens').waitFor({ timeout: 10_000 })
  // It was opened without a wallet, so nothing on the page says that this was impossible or did not happen.
  await page.getByText('No other wallet has opened it, and it was not shared with one.').waitFor()
  await page.getByText('Not shared with a wallet yet.').waitFor()
  expect(await page.getByText(/only the owner/i).count()).toBe(0)
  await expectToFit(opened)
  await page.setViewportSize({ width: 320, height: 640 })
  await expectToFit(opened)
  // The list of all links shows the names of their files.
  await open('/links')
  await row.getByRole('link', { name: 'map.txt' }).waitFor()
  await expectToFit(opened)
  // It outlives its file: the list says so, and it can still be revoked.
  for await (const { id } of listFiles(client)) await deleteFile(client, { id })
  await open('/links')
  await row.getByText('Content deleted', { exact: true }).waitFor()
  await row.getByText('The content is no longer stored').waitFor()
  expect(await row.getByText('Active').count()).toBe(0)
  await expectToFit(opened)
  await row.getByRole('button', { name: 'Revoke for Ida' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await row.getByText('Revoked', { exact: true }).waitFor()
  await expect.poll(() => row.getByRole('button', { name: /^Revoke/ }).count(), patient).toBe(0)
  expect(await listLinks(client)).toMatchObject([{ state: 'revoked', opens: 1 }])
  await expect(openLink(client, url, { password: 'x marks it' })).rejects.toMatchObject({ code: 'GONE' })
})

test('a long list of links asks for the files of those in sight only', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'one of many', { name: 'many.txt' })
  await createLink(client, cid, { name: 'many.txt' })
  await page.route('**/api/links', async (route) => {
    const response = await route.fetch()
    const { links }: { links: { id: string; cid: string }[] } = await response.json()
    const many = links.flatMap((link) =>
      Array.from({ length: 100 }, (_, at) => ({ ...link, id: `${link.id}-${at}`, cid: `${link.cid}${at || ''}` })),
    )
    await route.fulfill({ response, json: { links: many } })
  })
  const asked = new Set<string>()
  page.on('request', (request) => {
    if (request.url().includes('/file_info')) asked.add(request.url())
  })
  await open('/links')
  await signIn()
  const rows = page.getByRole('list', { name: 'Links' }).getByRole('listitem')
  await expect.poll(() => rows.count(), patient).toBe(100)
  await rows.first().getByRole('link', { name: 'many.txt' }).waitFor()
  await expect.poll(() => asked.size).toBeGreaterThan(4)
  expect(asked.size).toBeLessThan(50)
})
