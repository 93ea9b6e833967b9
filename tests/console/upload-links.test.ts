// The page of an upload link: people without a wallet send files into another person's account.
import { type Client, createUploadLink, listFiles, listUploadLinks, revokeUploadLink, uploadWithLink } from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createAccountClient } from './wallet-client.ts'

/** As narrow as 320 px, a touch screen, and dark. */
const phone = { accounts: 0, width: 320, height: 640, theme: 'dark', isPhone: true } as const

let site: ConsoleTest
let owner: Client
const account = privateKeyToAccount(generatePrivateKey())
beforeAll(async () => {
  site = await openConsoleTest()
  owner = await createAccountClient(site.network, account)
})
afterAll(() => site?.[Symbol.asyncDispose]())

const pathOf = (url: string) => url.slice(new URL(url).origin.length)

async function expectToFit({ page, checkAccessibility }: ConsolePage): Promise<void> {
  expect(await checkAccessibility()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

test('a visitor on a phone sees the limits, sends files, and learns which one was rejected', async () => {
  const link = await createUploadLink(owner, { maxUploads: 2, maxFileBytes: 2000, contentTypes: ['text/*'] })
  const opened = await site.newPage(phone)
  const { page, context, open } = opened
  const urls: string[] = []
  context.on('request', (request) => urls.push(request.url()))
  const logged: string[] = []
  context.on('console', (message) => logged.push(message.text()))
  await open(pathOf(link.url))
  await page.getByRole('heading', { name: 'Send files', level: 1 }).waitFor()
  await page.getByText(account.address.toLowerCase()).waitFor()
  expect(await page.locator('dl').textContent()).toContain('Left2 files')
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.title()).toBe('Send files · Cairn')
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  // No one drops a file on a phone.
  expect(await page.getByText('or drop them here').isVisible()).toBe(false)
  await expectToFit(opened)

  const textFile = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'a') })
  const input = page.locator('input[type=file]')
  await input.setInputFiles([textFile('one.txt', 1500), textFile('large.txt', 2001)])
  await page.getByText('1 file sent').waitFor()
  const large = page.getByRole('listitem').filter({ hasText: 'large.txt' })
  await large.getByRole('alert').waitFor()
  await large.getByRole('button', { name: 'Retry' }).waitFor()
  await expectToFit(opened)
  await expect.poll(() => page.locator('dl').textContent()).toContain('Left1 file,')

  // The last upload uses up the link; sent files stay visible.
  await input.setInputFiles([textFile('two.txt', 10), textFile('three.txt', 10)])
  await page.getByText('2 files sent').waitFor()
  await page.getByRole('heading', { name: 'This link has been used up' }).waitFor()
  expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Send files'])
  // A retry of the file that came too late could not succeed.
  const late = page.getByRole('listitem').filter({ hasText: 'three.txt' })
  await late.getByText('This link has been used up').waitFor()
  expect(await late.getByRole('button').count()).toBe(0)
  expect(await page.locator('dl').textContent()).not.toContain('Left')
  await page.getByRole('listitem').filter({ hasText: 'one.txt' }).getByText('Sent').waitFor()
  const names: string[] = []
  for await (const { fileName } of listFiles(owner)) names.push(fileName)
  expect(names.sort()).toEqual(['one.txt', 'two.txt'])
  expect(await listUploadLinks(owner)).toMatchObject([{ id: link.id, uploads: 2, uploadedBytes: 1510 }])

  // The secret is in no requested address, log line or storage.
  const stored = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'))
  expect([...urls, ...logged, stored].filter((text) => text.includes(link.token))).toEqual([])
})

test('a visitor who navigates away during an upload is asked first, also by the name at the top of the page', async () => {
  const link = await createUploadLink(owner)
  const { page, open } = await site.newPage({ accounts: 0 })
  const held = Promise.withResolvers<void>()
  await page.route(/\/api\/uploads\b/, async (route) => {
    await held.promise
    await route.continue()
  })
  await open(pathOf(link.url))
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  const file = { name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('on its way') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('listitem').filter({ hasText: 'slow.txt' }).waitFor()
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss()
    return dialog.type()
  })
  await page.getByRole('link', { name: 'Cairn' }).click()
  expect(await asked).toBe('beforeunload')
  held.resolve()
  await page.getByText('1 file sent').waitFor()
})

test('the page of an upload link continues when a session ends in another tab', async () => {
  const link = await createUploadLink(owner)
  const { page, context, open, signIn, expectProblem } = await site.newPage()
  await open('/files')
  await signIn()
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID|net::ERR_FAILED/)
  const second = await context.newPage()
  await second.goto(pathOf(link.url))
  await second.getByRole('button', { name: 'Choose files' }).waitFor()
  // From now on, the page has only what it knows of the link.
  await second.route('**/api/upload-link/inspect', (route) => route.abort())
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  const file = { name: 'kept.txt', mimeType: 'text/plain', buffer: Buffer.from('still sent') }
  await second.locator('input[type=file]').setInputFiles(file)
  await second.getByText('1 file sent').waitFor()
})

test('reports a revoked or incomplete link', async () => {
  const link = await createUploadLink(owner)
  await revokeUploadLink(owner, link.id)
  const opened = await site.newPage(phone)
  const { page, open } = opened
  const expectTitle = async (path: string, title: string) => {
    await open('/status')
    await open(path)
    await page.getByRole('alert').getByRole('heading', { name: title, level: 1 }).waitFor()
    await expectToFit(opened)
  }
  await expectTitle(pathOf(link.url), 'This link was revoked')
  await expectTitle('/upload-link', 'This link is not complete')
  await expectTitle(pathOf(link.url).slice(0, -4), 'This link is not complete')
})

test('revokes an upload link whose dialog was closed before it was created, because it was never shown', async () => {
  const { page, open, signIn } = await site.newPage()
  await open('/links')
  await signIn()
  await page.getByText('No upload links yet.').waitFor()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/upload-links',
    async (route) => {
      if (route.request().method() === 'POST') await promise
      await route.continue()
    },
  )
  await page.getByRole('button', { name: 'New upload link' }).click()
  const dialog = page.getByRole('dialog', { name: 'New upload link' })
  await dialog.getByLabel('Label (optional)').fill('Given up')
  const asked = page.waitForRequest((request) => request.method() === 'POST')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await asked
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  resolve()
  await page.getByText('The dialog was closed before the link could be shown.').waitFor()
  const row = page.getByRole('listitem').filter({ hasText: 'Given up' })
  await row.getByText('Revoked').waitFor()
})

test('an owner creates an upload link with limits, sees its uploads, and revokes it', async () => {
  const opened = await site.newPage({ width: 320, height: 720, theme: 'dark' })
  const { page, wallet, open, signIn, checkAccessibility } = opened
  await open('/links')
  await signIn()
  await page.getByText('No upload links yet.').waitFor()
  await expectToFit(opened)
  await page.getByRole('button', { name: 'New upload link' }).click()
  const dialog = page.getByRole('dialog', { name: 'New upload link' })
  await dialog.getByLabel('Label (optional)').fill('Photos of Ida')
  await dialog.getByLabel('Number of files').fill('0')
  const wrong = dialog.getByText('Enter a whole number from 1 to 100,000.')
  expect(await wrong.count()).toBe(0)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await wrong.waitFor()
  expect(await page.evaluate('document.activeElement?.value')).toBe('0')
  await dialog.getByLabel('Number of files').fill('3')
  await dialog.getByLabel('Largest file, in MiB').fill('2')
  await dialog.getByText('At most 6 MiB in total.').waitFor()
  await dialog.getByText('Others', { exact: true }).click()
  await dialog.getByLabel('Media types').fill('text')
  await dialog.getByText('Enter media types such as').waitFor()
  await expectToFit(opened)
  await dialog.getByLabel('Media types').fill('text/plain, image/*')
  await dialog.getByText('1 day').click()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const made = page.getByRole('dialog', { name: 'Link ready' })
  const url = (await made.getByText('/upload-link#').textContent()) ?? ''
  await made.getByRole('img', { name: 'QR code of the link' }).waitFor()
  await expectToFit(opened)
  await made.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('list', { name: 'Upload links' }).getByRole('listitem')
  await row.getByText('0 of 3 files · 0 B of 6 MiB · text/plain, image/*').waitFor()

  await uploadWithLink(url, new Blob(['dear Ada'], { type: 'text/plain' }), { name: 'letter.txt' })
  // Nothing is clicked: the list reloads while it is visible.
  await row.getByText('1 of 3 files · 8 B of 6 MiB').waitFor()
  await page.reload()
  // The bell reports new uploads until they were read.
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const news = page.getByRole('dialog', { name: 'Notifications' })
  await news.getByText('File received through an upload link, 8 B').waitFor()
  await news.getByRole('link', { name: 'letter.txt' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  expect(await bell.count()).toBe(1)

  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  await expectToFit(opened)

  // The drive shows that the file is from someone else.
  await open('/files')
  await page.getByRole('link', { name: 'letter.txt' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Details' }).click()
  await page.getByRole('dialog').getByText('Received through an upload link').waitFor()
  await expectToFit(opened)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  expect(await listUploadLinks(client)).toMatchObject([
    { state: 'revoked', maxUploads: 3, contentTypes: ['text/plain', 'image/*'] },
  ])
})

test('sends files dropped beside the field, and keeps the page open', async () => {
  const link = await createUploadLink(owner, { maxUploads: 2 })
  const { page, open } = await site.newPage({ accounts: 0 })
  await open(pathOf(link.url))
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  const isTaken = await page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
    const options = { dataTransfer, bubbles: true, cancelable: true }
    const over = document.body.dispatchEvent(new DragEvent('dragover', options))
    return !over && !document.body.dispatchEvent(new DragEvent('drop', options))
  })()`)
  expect(isTaken).toBe(true)
  await page.getByText('1 file sent').waitFor()
})
