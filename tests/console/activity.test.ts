// The activity of the account: the log by kind, older events, the signed export, receipts and the chart.
import {
  CairnError,
  createLink,
  createName,
  decryptBytes,
  deleteFile,
  listEvents,
  openLink,
  publishName,
  revokeAccess,
  shareFile,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadFolder,
  uploadText,
  verifyEventLog,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { nextSaved } from './next-saved.ts'
import { stopNodes } from './take-nodes-away.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('shows what was stored, opened and deleted, by kind, and saves the signed log', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadText(client, 'hello', { name: 'hello.txt' })
  const secret = await uploadEncryptedText(client, 'a secret', { name: 'diary.txt' })
  await uploadText(client, 'between us', { name: 'letter.txt', private: true })
  await uploadFolder(client, [{ path: 'day-1.txt', content: 'to the ridge' }], { name: 'trip' })
  const pages = [{ path: '1.txt', content: 'between the two' }]
  await uploadEncryptedFolder(client, pages, { name: 'pages', asOne: true })
  const { name } = await createName(client, { label: 'my site' })
  await publishName(client, name, cid)
  await open('/activity')
  await signIn()
  const events = page.getByRole('list', { name: 'Activity' })
  const published = events.getByRole('listitem').filter({ hasText: 'Name published' }).getByRole('link')
  expect(await published.getAttribute('href')).toBe(`/names/${name}`)
  // With their plain sizes, and folders labelled as folders.
  await events.getByText('Encrypted file stored, 8 B', { exact: true }).waitFor()
  await events.getByText('Folder stored, 12 B', { exact: true }).waitFor()
  await events.getByText('Encrypted folder stored, 15 B', { exact: true }).waitFor()
  await events.getByText('Private file stored, 10 B').waitFor()
  await events.getByText('File stored, 5 B', { exact: true }).waitFor()
  await events.getByRole('link', { name: 'hello.txt' }).waitFor()
  // The key that the SDK created above, and that of the console.
  await events
    .getByText(/^API key .* created/)
    .first()
    .waitFor()
  await events.getByText(/^Signed in to the console, until /).waitFor()
  expect(await events.getByText('Console session').count()).toBe(0)
  // On the first visit nothing is unread.
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()

  const { url } = await createLink(client, secret.cid, { expiresAt: Date.now() + 3_600_000, maxOpens: 3 })
  await openLink(client, url)
  await deleteFile(client, { cid })
  await open('/settings')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const list = page.getByRole('list', { name: 'Notifications' })
  await list.getByText('A link was opened').waitFor()
  await list.getByRole('link', { name: 'diary.txt' }).click()
  await page.getByRole('dialog', { name: 'diary.txt' }).waitFor()
  // The file is not over the notifications, which closing it would show again.
  await list.waitFor({ state: 'detached' })
  // Events on the activity page are read.
  await open('/activity')
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  await events.getByText('A link was opened, once so far').waitFor()
  await events.getByText('hello.txt deleted, 5 B of storage freed').waitFor()
  expect(await checkAccessibility()).toEqual([])
  const kinds = page.getByRole('group', { name: 'Show' })
  await kinds.getByText('Sharing', { exact: true }).click()
  await events.getByText('Encrypted file stored').waitFor({ state: 'detached' })
  await events.getByText('Link created, opens 3 times').waitFor()
  expect(new URL(page.url()).searchParams.get('show')).toBe('sharing')
  await kinds.getByText('Payments', { exact: true }).click()
  await page.getByText('Nothing happened yet').waitFor()
  await page.setViewportSize({ width: 320, height: 720 })
  expect(await checkAccessibility()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

  // Signing out ends a session, and revokes no key that the user created.
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  const ended = page.waitForResponse((response) => /api_keys\/\w+$/.test(response.url()))
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await ended
  // A wallet that the page has not found yet is connected first.
  await page
    .getByRole('main')
    .getByRole('button', { name: /^(Sign in|Connect wallet)$/ })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await kinds.getByText('Keys', { exact: true }).click()
  await events.getByText('Console session ended', { exact: true }).waitFor()
  expect(await events.getByText(/revoked/).count()).toBe(0)
  await open('/api-keys')
  await page
    .getByRole('button', { name: /^Revoke/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: /^Revoke/ }).waitFor({ state: 'detached' })
  await open('/activity')
  await events.getByText(/^API key .+ revoked$/).waitFor()
  expect(await events.getByText('Console session ended', { exact: true }).count()).toBe(1)

  const saved = nextSaved(page)
  await page.getByRole('button', { name: 'Export signed log' }).click()
  const { bytes: lines } = await saved
  const verified = await verifyEventLog(one(lines), { signer: site.network.profile.eventSigner })
  expect(verified.count).toBeGreaterThanOrEqual(5)
  for (const type of ['link.opened', 'upload.deleted']) expect(lines.toString()).toContain(`"type":"${type}"`)
})

test('requests events of a long activity for the visible files only', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const rows = 60
  for (let at = 0; at < rows; at++) {
    await uploadFolder(client, [{ path: 'day.txt', content: `day ${at}` }], { name: `trip ${at}` })
  }
  const asked = new Set<string>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/file_info')) asked.add(searchParams.get('cid') ?? '')
  })
  await open('/activity')
  await signIn()
  const stored = page
    .getByRole('list', { name: 'Activity' })
    .getByRole('listitem')
    .filter({ hasText: /stored, / })
  await stored.nth(rows - 1).waitFor()
  await stored.first().getByText('Folder stored').waitFor()
  expect(await stored.last().innerText()).toContain('File stored')
  // Two or three lines each, in a window of 800 pixels.
  expect(asked.size).toBeLessThan(rows / 2)
  await stored.last().scrollIntoViewIfNeeded()
  await stored.last().getByText('Folder stored').waitFor()
  expect(asked.size).toBeLessThan(rows)
})

test('shows the owner who opened an encrypted file, and who was refused', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const owner = await createAccountClient(site.network, wallet.accounts[0])
  const friend = privateKeyToAccount(generatePrivateKey())
  const reader = await createAccountClient(site.network, friend)
  const { cid } = await uploadEncryptedText(owner, 'a secret', { name: 'shared-diary.txt' })
  await open('/activity')
  await signIn()
  const events = page.getByRole('list', { name: 'Activity' })
  await events.getByText('Encrypted file stored').waitFor()
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()

  const address = friend.address.toLowerCase()
  await shareFile(owner, cid, [address])
  await decryptBytes(reader, cid)
  await revokeAccess(owner, cid, [address])
  await expect(decryptBytes(reader, cid)).rejects.toThrow(CairnError)
  // An opening and a refusal.
  await open('/settings')
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^Access denied to/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  await open('/activity?show=sharing')
  const short = `${address.slice(0, 8)}…${address.slice(-6)}`
  for (const line of [
    `Shared with ${short}`,
    `Opened by ${short}`,
    `Access revoked from ${short}`,
    `Access denied to ${short}`,
  ])
    await events.getByText(line, { exact: true }).waitFor()
  await events.getByRole('link', { name: 'shared-diary.txt' }).first().waitFor()
  expect(await events.getByText('key nodes)').count(), 'unconfirmed').toBe(0)
  expect(await checkAccessibility()).toEqual([])

  await page.getByRole('group', { name: 'Show' }).getByText('Payments', { exact: true }).click()
  await page.getByText('Nothing happened yet').waitFor()
})

test('offers to connect the key nodes when they do not know the session, and then shows their part', async () => {
  const opened = await site.newPage()
  const { page, wallet, open, signIn, checkAccessibility } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'a secret', { name: 'diary.txt' })
  const friend = privateKeyToAccount(generatePrivateKey()).address.toLowerCase()
  await shareFile(client, cid, [friend])
  const shared = `Shared with ${friend.slice(0, 8)}…${friend.slice(-6)}`
  const restoreNodes = await stopNodes(opened, site.network, 1, 2, 3)
  await open('/activity')
  await signIn()
  const events = page.getByRole('list', { name: 'Activity' })
  await events.getByText('Encrypted file stored').waitFor()
  const connect = page.getByRole('button', { name: 'Connect key nodes' })
  await connect.waitFor()
  await page.getByText('See who opened your encrypted files. Your wallet signs once.').waitFor()
  expect(await events.getByText(shared, { exact: true }).count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])

  // If declined, it is offered again.
  await restoreNodes()
  const dialog = page.getByRole('dialog', { name: 'One more signature' })
  await connect.click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await connect.click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await events.getByText(shared, { exact: true }).waitFor()
  await connect.waitFor({ state: 'detached' })
})

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test('a failed pin is shown by its CID without a link, because nothing was stored', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage({ width: 390, height: 844 })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  const pinned = await fetch(`${site.network.profile.pinning?.endpoint}/pins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cid }),
  })
  expect(pinned.status).toBe(202)
  await expect.poll(async () => (await listEvents(client, { types: ['pin.failed'] })).events).toHaveLength(1)
  await open('/activity')
  await signIn()
  const event = page.getByRole('list', { name: 'Activity' }).getByRole('listitem').filter({ hasText: 'Pin failed' })
  await event.getByText(cid, { exact: true }).waitFor({ state: 'attached' })
  await event.getByRole('button', { name: 'Copy CID' }).waitFor()
  expect(await event.getByRole('link').count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])
})
