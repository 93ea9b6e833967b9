import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startUpload } from './start-upload.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('asks a visitor for nothing, connects with two clicks and two wallet windows, and stays signed in after a reload', async () => {
  const { page, wallet, problems, open, signIn } = await site.newPage()
  await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // No page opens a wallet without a user action.
  expect(wallet.requests.filter((method) => !/^eth_(accounts|chainId)$/.test(method))).toEqual([])
  await signIn()
  expect(wallet.requests.filter((method) => /requestPermissions|sign/.test(method))).toEqual([
    'wallet_requestPermissions',
    'personal_sign',
  ])
  await page.waitForURL('**/files')
  await page.getByText('Nothing here yet').waitFor()
  const asked = wallet.requests.filter((method) => /requestPermissions|sign/.test(method)).length
  await page.reload()
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
  expect(wallet.requests.filter((method) => /requestPermissions|sign/.test(method))).toHaveLength(asked)
  expect(problems).toEqual([])
})

test('reports a declined connection or signature, and can retry', async () => {
  const { page, wallet, problems, open } = await site.newPage()
  await open('/api-keys')
  wallet.rejectNext('wallet_requestPermissions')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: wallet.name }).click()
  await dialog.getByText('You rejected the connection. Nothing was shared.').waitFor()
  wallet.rejectNext('personal_sign')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('You rejected the signature. You are connected, but not signed in.').waitFor()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  // Back on the page that asked to sign in.
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/api-keys')
  expect(problems).toEqual([])
})

test('switching the wallet account ends the session at once', async () => {
  const { page, wallet, problems, open, signIn } = await site.newPage({ accounts: 2 })
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await wallet.choose(1)
  await page.getByText('The data of the previous account is cleared').waitFor()
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor()
  expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Account ${wallet.accounts[1]?.address}` }).waitFor()
  expect(problems).toEqual([])
})

test('signing out revokes the session key at the service', async () => {
  const { page, problems, open, signIn } = await site.newPage()
  await open('/files')
  await signIn()
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  const revoked = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await revoked
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  const answer = await fetch(`${site.network.profile.api}/api/user/user_data_usage`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(answer.status).toBe(401)
  expect(problems).toEqual([])
})

test('without a network, signing out ends the session, disconnects the wallet, and says what remains', async () => {
  const { page, context, open, signIn, checkAccessibility, expectProblem } = await site.newPage()
  expectProblem(/net::ERR_/)
  // The page may still be installing itself.
  expectProblem(/when fetching the script/)
  await open('/files')
  await signIn()
  // A new page, which has not loaded the key node code.
  await page.reload()
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Sign out' }).click()
  // Not `Sign in`, which a connected wallet would show.
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
  await page.getByText('Signed out in this browser').waitFor()
  await page.getByText(/the API key of this session is valid until/).waitFor()
  await page.getByText(/A session you ended is still open at key nodes/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await context.setOffline(false)
  await page.getByText(/A session you ended is still open/).waitFor({ state: 'detached' })
})

test('explains wallets to a browser without one, and opens public files', async () => {
  const { page, problems, open } = await site.newPage({ accounts: 0 })
  await open('/')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('heading', { name: 'No wallet found' }).waitFor()
  expect(problems).toEqual([])
})

test('reports a browser that blocks the storage of the page, and keeps the session as long as the page', async () => {
  const { page, context, wallet, problems, open, signIn } = await site.newPage()
  await context.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    }
    const reject = async () => refuse()
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse })
    Object.assign(IDBFactory.prototype, { open: refuse, databases: reject })
    // Firefox refuses this one, too.
    Object.assign(window, {
      BroadcastChannel: class {
        constructor() {
          refuse()
        }
      },
    })
    // The initial blank page of a tab is not a secure context.
    if (!isSecureContext) return
    Object.assign(LockManager.prototype, { query: reject, request: reject })
    Object.assign(CacheStorage.prototype, { has: reject, open: reject, delete: reject })
  })
  await open('/files')
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).waitFor()
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  for (const access of ['public', 'encrypted'] as const) {
    const file = { name: `${access}.txt`, mimeType: 'text/plain', buffer: Buffer.from(access) }
    await page.keyboard.press('u')
    await page.setInputFiles('input[data-upload=files]', file)
    await startUpload(page, access)
    await page
      .getByRole('link', { name: `${access}.txt` })
      .first()
      .waitFor()
  }
  await page.getByRole('link', { name: 'Settings' }).click()
  await page
    .getByRole('main')
    .getByText(wallet.accounts[0]?.address ?? '')
    .waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear and sign out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  expect(problems).toEqual([])
})

test('says how far the clock of the device is off, at the sign-in and in a session', async () => {
  const opened = await site.newPage()
  const { page, wallet, context, open } = opened
  // Moves the clock of the page, of which only the difference is kept across reloads.
  await context.addInitScript(() => {
    const { now } = Date
    Date.now = () => now() + Number(localStorage.getItem('test.ahead') ?? 0)
  })
  const setClock = (minutes: number) => page.evaluate(`localStorage.setItem('test.ahead', '${minutes * 60_000}')`)
  await open('/')
  await setClock(-90)
  await page.reload()
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: wallet.name }).click()
  await dialog.getByText(/The clock of this device is 1\sh (29|30)\smin behind that of the service/).waitFor()
  await setClock(0)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
  expect(wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(1)
  await page.getByText('Nothing here yet').waitFor()
  await setClock(5)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', {
    name: 'late.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('late'),
  })
  await startUpload(page, 'encrypted')
  await page
    .getByText(/The clock of this device is 5\smin ahead of that of the service/)
    .first()
    .waitFor()
})
