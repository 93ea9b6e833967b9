// The session belongs to the browser: every tab of the console has it, and it ends in all of them.
import { revokeApiKey, uploadEncryptedText } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createPageClient } from './page-client.ts'
import { startUpload } from './start-upload.ts'
import { rowOf } from './upload-line.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Windows that the wallet opened. */
const windows = ({ wallet }: ConsolePage) => wallet.requests.filter((method) => /requestPermissions|sign/.test(method))
const account = (page: Page) => page.getByRole('button', { name: /^Account 0x/ })
/** Signs in; a connected wallet only signs. */
const connect = (page: Page) => page.getByRole('button', { name: /^(Connect wallet|Sign in)$/ }).first()

async function openTab({ context, expectProblem }: ConsolePage, path: string): Promise<Page> {
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const page = await context.newPage()
  await page.goto(path)
  return page
}

test('a new tab is signed in and opens an encrypted file without a signature, also after a reload', async () => {
  const opened = await site.newPage()
  const client = await createAccountClient(site.network, opened.wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Seen from the second tab', { name: 'own.txt' })
  await opened.open('/files')
  await opened.signIn()
  const asked = windows(opened)
  const second = await openTab(opened, `/files/${cid}`)
  await second.getByText('Seen from the second tab').waitFor()
  expect(
    await second.evaluate("Object.keys(localStorage).some((name) => localStorage.getItem(name).includes('cairn_'))"),
  ).toBe(false)
  // The first one is closed, and the session continues in the second.
  await opened.page.close()
  await second.reload()
  await second.getByText('Seen from the second tab').waitFor()
  expect(windows(opened)).toEqual(asked)
})

test('signing in or out in one tab does so in all tabs', async () => {
  const opened = await site.newPage()
  await opened.open('/files')
  const second = await openTab(opened, '/names')
  await connect(second).waitFor()
  await opened.signIn()
  await account(second).waitFor()
  await second.getByText('No names yet').waitFor()
  await account(second).click()
  await second.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await connect(opened.page).waitFor()
  for (const page of [opened.page, second]) {
    expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
  }
  await opened.page.reload()
  await connect(opened.page).waitFor()
})

test('signing out in another tab closes an open file and shows the sign-in page', async () => {
  const opened = await site.newPage()
  const client = await createAccountClient(site.network, opened.wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Closed from the second tab', { name: 'left.txt' })
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByRole('link', { name: 'left.txt' }).click()
  const drawer = opened.page.getByRole('dialog', { name: 'left.txt' })
  await drawer.getByText('Closed from the second tab').waitFor()
  const second = await openTab(opened, '/settings')
  await account(second).click()
  await second.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await drawer.waitFor({ state: 'detached' })
  await opened.page.getByRole('heading', { name: 'Sign in to see this' }).waitFor()
  expect(new URL(opened.page.url()).pathname).toBe('/files')
  expect(await opened.checkAccessibility()).toEqual([])
  // A link to a file still opens for visitors.
  await opened.open(`/files/${cid}`)
  await drawer.waitFor()
})

test('the session ends with the last tab', async () => {
  const opened = await site.newPage()
  await opened.open('/files')
  await opened.signIn()
  const second = await openTab(opened, '/files')
  await account(second).waitFor()
  await opened.page.close()
  await second.close()
  const third = await openTab(opened, '/files')
  await connect(third).waitFor()
  expect(await account(third).count()).toBe(0)
})

test('tabs share the credentials that one of them renews', async () => {
  const opened = await site.newPage()
  await opened.open('/settings')
  await opened.signIn()
  const second = await openTab(opened, '/settings')
  await account(second).waitFor()
  const kept = (page: Page) => page.evaluate<string>("sessionStorage.getItem('cairn.session')")
  const before = await kept(opened.page)
  const soon = JSON.stringify({ ...JSON.parse(before), expiresAt: Date.now() + 5 * 60_000 })
  await second.close()
  await opened.page.evaluate((text) => sessionStorage.setItem('cairn.session', text), soon)
  await opened.page.reload()
  const third = await openTab(opened, '/settings')
  await opened.page.getByRole('button', { name: 'Extend' }).click()
  await opened.page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click()
  // The third tab may not have shown its notice yet, so its absence would not prove that the session is a new one.
  const keyOf = (session: string): unknown => JSON.parse(session).apiKey
  await expect.poll(async () => keyOf(await kept(opened.page))).not.toBe(keyOf(soon))
  await expect.poll(() => kept(third)).toBe(await kept(opened.page))
  await third.getByText('Your session expires in a few minutes.').waitFor({ state: 'detached' })
})

test('running work uses tokens renewed by another tab, so that the session continues at all key nodes', async () => {
  const opened = await site.newPage()
  const { page, context, wallet, expectProblem } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Seen by five', { name: 'own.txt' })
  await opened.open('/files')
  await opened.signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  const kept = (tab: Page) => tab.evaluate<string>("sessionStorage.getItem('cairn.session')")
  /** Loads a page with tokens that it considers expired, so that the next call to each node renews them. */
  const openExpired = async (tab: Page, path: string, session: string) => {
    const parsed = JSON.parse(session)
    for (const node of parsed.keySession.nodes) node.expiresAt = 1
    await tab.evaluate((text) => sessionStorage.setItem('cairn.session', text), JSON.stringify(parsed))
    await tab.goto(path)
  }
  // The first tab starts an encrypted upload, which saves its key after its bytes are encrypted.
  expectProblem(/ERR_CONNECTION_REFUSED/)
  const toNodes = (url: URL) => site.network.profile.keyNodes?.includes(url.origin) === true
  await page.route(toNodes, (route) => route.abort('connectionrefused'))
  await openExpired(page, '/files', await kept(page))
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await page.route(/cipher\.worker/, async (route) => {
    begun.resolve()
    await held.promise
    await route.continue()
  })
  await page.keyboard.press('u')
  const file = { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('Saved with the renewed tokens') }
  await page.setInputFiles('input[data-upload=files]', file)
  await startUpload(page, 'encrypted')
  await begun.promise

  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const second = await context.newPage()
  // It takes its own copy of the session, not the first tab's.
  await second.addInitScript('if (isSecureContext) navigator.locks.query = async () => ({ held: [], pending: [] })')
  await second.goto('/status')
  for (const _ of ['once', 'twice']) {
    await openExpired(second, `/files/${cid}/access`, await kept(page))
    await second.getByText('All five agree', { exact: true }).waitFor()
    await expect.poll(async () => JSON.parse(await kept(page))).toEqual(JSON.parse(await kept(second)))
  }
  await page.unroute(toNodes)
  held.resolve()
  await rowOf(page, 'late.txt').getByText('Stored', { exact: true }).waitFor()
  await second.reload()
  await second.getByText('All five agree', { exact: true }).waitFor()
})

test('a session that ended in another tab does not come back from an earlier message', async () => {
  const opened = await site.newPage()
  await opened.open('/files')
  await opened.signIn()
  const second = await openTab(opened, '/settings')
  await account(second).waitFor()
  // A frozen tab reads both at once.
  await second.evaluate(() => {
    const { expiresAt, ...session } = JSON.parse(sessionStorage.getItem('cairn.session') ?? '')
    const tabs = new BroadcastChannel('cairn.session')
    tabs.postMessage({ kind: 'changed', text: JSON.stringify({ ...session, expiresAt: expiresAt - 1 }) })
    tabs.postMessage({ kind: 'ended', apiKey: session.apiKey, reason: 'signed-out' })
  })
  for (const page of [opened.page, second]) {
    await connect(page).waitFor()
    // Anything that would restore it reads the key of the session first, as this does.
    await page.evaluate(`new Promise((done) => {
      const opening = indexedDB.open('cairn')
      opening.onsuccess = () => {
        opening.result.transaction('session').objectStore('session').getAllKeys().onsuccess = done
        opening.result.close()
      }
    }).then(() => undefined)`)
    expect(await account(page).count()).toBe(0)
    expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
  }
})

test('a tab that returns with an expired session keeps the lasting one', async () => {
  const opened = await site.newPage()
  await opened.open('/files')
  await opened.signIn()
  const ofTab = await opened.page.evaluate<string>("sessionStorage.getItem('cairn.session')")
  await account(opened.page).click()
  await opened.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await connect(opened.page).click()
  const dialog = opened.page.getByRole('dialog')
  await dialog.getByText('Stay signed in on this device').click()
  await dialog.getByRole('button', { name: opened.wallet.name }).click()
  await account(opened.page).waitFor()
  const over = JSON.stringify({ ...JSON.parse(ofTab), expiresAt: Date.now() - 1000 })
  await opened.page.evaluate((text) => sessionStorage.setItem('cairn.session', text), over)
  await opened.page.reload()
  await account(opened.page).waitFor()
  expect(await opened.page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
})

test('a session whose API key is revoked elsewhere ends with the first call that reports it, and continues after a sign-in', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, checkAccessibility } = opened
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  const client = await createPageClient(site, page)
  // A call from before the extension reports the old key, so the current key is checked first.
  const isAsked = page.waitForResponse(/user_data_usage/)
  await page.route('**/api/auth/api_keys*', (route) =>
    route.fulfill({ status: 401, contentType: 'application/json', body: '{"error":{"code":"API_KEY_REVOKED"}}' }),
  )
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByText('Code API_KEY_REVOKED').waitFor()
  expect((await isAsked).status()).toBe(200)
  await account(page).waitFor()
  await revokeApiKey(client, /^cairn_([0-9a-z]+)_/.exec(client.apiKey ?? '')?.[1] ?? '')
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.getByText('The API key of your session was revoked').waitFor()
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  await account(page).waitFor()
})
