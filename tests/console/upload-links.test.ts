// The page of an upload link: people without a wallet send files into the account of another.
import { type Client, createUploadLink, listFiles, listUploadLinks, revokeUploadLink } from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createAccountClient } from './wallet-client.ts'

/** As narrow as 320 px, touched and dark. */
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

test('a visitor on a phone sees the limits, sends files, and learns which one was refused', async () => {
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
  await expectToFit(opened)

  const textFile = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'a') })
  const input = page.locator('input[type=file]')
  await input.setInputFiles([textFile('one.txt', 1500), textFile('large.txt', 2001)])
  await page.getByText('1 file sent').waitFor()
  const large = page.getByRole('listitem').filter({ hasText: 'large.txt' })
  await large.getByRole('alert').waitFor()
  await large.getByRole('button', { name: 'Retry' }).waitFor()
  await expectToFit(opened)
  await expect.poll(() => page.locator('dl').textContent()).toContain('Left1 files')

  // The last one uses the link up; what was sent stays in sight.
  await input.setInputFiles([textFile('two.txt', 10)])
  await page.getByText('2 files sent').waitFor()
  await page.getByRole('heading', { name: 'This link has been used up' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'one.txt' }).getByText('Sent').waitFor()
  const names: string[] = []
  for await (const { fileName } of listFiles(owner)) names.push(fileName)
  expect(names.sort()).toEqual(['one.txt', 'two.txt'])
  expect(await listUploadLinks(owner)).toMatchObject([{ id: link.id, uploads: 2, uploadedBytes: 1510 }])

  // The secret is in no address that was requested, no line of the log and no storage.
  const stored = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'))
  expect([...urls, ...logged, stored].filter((text) => text.includes(link.token))).toEqual([])
})

test('a link that was revoked, or is not whole, says so', async () => {
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
