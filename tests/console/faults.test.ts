// What pages show when a part of the network fails: the error, a retry, and the previous content.
import { createClient, createName, listFiles } from '@cairn/sdk'
import type { Request, Route } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createPageClient } from './page-client.ts'
import { startUpload } from './start-upload.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const failWith = (status: number, error: { code: string; message: string }) => (route: Route) =>
  route.fulfill({ status, json: { error: { ...error, details: {} } }, headers: { 'x-cairn-code': error.code } })
const broken = failWith(500, { code: 'INTERNAL', message: 'Something broke inside' })

test('the error of a page without a network is shown and selected if the browser does not copy it', async () => {
  const opened = await site.newPage({ accounts: 0 })
  const { page, context } = opened
  opened.expectProblem(/status of 500/)
  await context.addInitScript(
    `Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError')) } })`,
  )
  await page.route('**/.well-known/cairn.json', broken)
  await opened.open('/')
  await page.getByRole('alert').getByRole('button', { name: 'Copy' }).click()
  const shown = page.getByRole('dialog', { name: 'Not copied' })
  await shown.waitFor()
  await expect.poll(() => page.evaluate('getSelection().toString()')).toContain('INTERNAL')
  expect(await opened.checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await shown.waitFor({ state: 'detached' })
  await page.unroute('**/.well-known/cairn.json')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: /Store files/ }).waitFor()
})

test('a page whose call fails shows the error and offers a retry', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 50[03]/)
  await opened.open('/settings')
  await opened.signIn()
  for (const [path, call, shown] of [
    ['/names', '**/api/names*', 'No names yet'],
    ['/billing', '**/api/payments?*', 'No payments yet'],
    ['/billing', '**/api/user/quota*', 'Storage by day'],
    ['/proofs', '**/api/user/copies', 'One more copy'],
    ['/api-keys', '**/api/auth/api_keys', 'This session'],
  ] as const) {
    await page.route(call, broken)
    await opened.open(path)
    await page
      .getByRole('alert')
      .getByText(/^Code /)
      .waitFor()
    expect([path, await opened.checkAccessibility()]).toEqual([path, []])
    await page.unroute(call)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByText(shown).or(page.getByLabel(shown)).first().waitFor()
  }
})

test('parts of a page that fail with the same error show it once, and one retry loads them all', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 500/)
  await opened.open('/settings')
  await opened.signIn()
  const calls = /\/api\/(user\/|payments|lighthouse\/get_ticker)/
  await page.route(calls, broken)
  await opened.open('/billing')
  const notLoaded = page.getByText('Not loaded yet.')
  await expect.poll(() => notLoaded.count()).toBe(3)
  expect(await page.getByText('Code INTERNAL').count()).toBe(1)
  expect(await opened.checkAccessibility()).toEqual([])
  await page.unroute(calls)
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No payments yet').waitFor()
  await page.getByText('Storage by day').waitFor()
  await expect.poll(() => notLoaded.count()).toBe(0)
})

test('content stays visible when a refresh fails', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 50[03]/)
  await opened.open('/names')
  await opened.signIn()
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  await createName(createClient({ network: site.network.profile, apiKey }), { label: 'still here' })
  await page.reload()
  await page.getByRole('link', { name: 'still here' }).waitFor()
  await page.route('**/api/names*', broken)
  // Something changed, so the list is requested again.
  await page.getByRole('button', { name: 'Actions for still here' }).click()
  await page.getByRole('menuitem', { name: 'Change label' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change label' }).click()
  await page.getByText('Couldn’t refresh. Showing the last known data.').waitFor()
  await page.getByRole('link', { name: 'still here' }).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
})

test('an unknown price leaves payment in stablecoins available', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 50[03]/)
  await page.route(
    '**/api/lighthouse/get_ticker*',
    failWith(503, { code: 'PRICE_UNKNOWN', message: 'No current price' }),
  )
  await opened.open('/billing')
  await opened.signIn()
  await page.getByText('The price of this coin is unavailable right now.').waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).isDisabled()).toBe(true)
  await page.getByText('USDC', { exact: true }).click()
  await page.getByText('40 USDC', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).isEnabled()).toBe(true)
})

test('reports an unresponsive service once for the whole console, and reloads everything when it answers', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/net::ERR_CONNECTION_REFUSED/)
  await opened.open('/api-keys')
  await opened.signIn()
  await page.getByText('This session').waitFor()
  const isCall = ({ origin, pathname }: URL) =>
    origin === new URL(site.network.profile.api).origin && /^\/(api|healthz)/.test(pathname)
  await page.route(isCall, (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Billing' }).first().click()
  const banner = page.getByText('The storage service is not answering. Trying again…')
  await banner.waitFor()
  await page.getByText('Not loaded yet.').first().waitFor()
  expect(await page.getByText('Something went wrong').count()).toBe(0)
  expect(await opened.checkAccessibility()).toEqual([])
  await page.getByRole('link', { name: 'API keys' }).first().click()
  await page.getByText('This session').waitFor()
  expect(await banner.count()).toBe(1)
  await page.getByRole('link', { name: 'Billing' }).first().click()
  await page.unroute(isCall)
  await banner.waitFor({ state: 'detached' })
  await page.getByText('No payments yet').waitFor()
  expect(await page.getByText('Not loaded yet.').count()).toBe(0)
})

test('users who navigate away while a part of the page fails reach the next page', async () => {
  const { page, open, expectProblem } = await site.newPage()
  expectProblem(/net::ERR_FAILED/)
  await open('/settings')
  const isLeaving = Promise.withResolvers<void>()
  // Firefox itself aborts pending loads when users leave.
  await page.route('**/assets/NamesPage-*.js', async (route) => {
    await isLeaving.promise
    await route.abort()
  })
  const isPart = (request: Request) => request.url().includes('/assets/NamesPage-')
  const requested = page.waitForRequest(isPart)
  await page.getByRole('link', { name: 'Names', exact: true }).first().click()
  await requested
  await page.route('**/status', async (route) => {
    const failed = page.waitForEvent('requestfailed', isPart)
    isLeaving.resolve()
    await failed
    await route.continue()
  })
  await open('/status')
  await page.getByText('All systems operational').waitFor()
})

test('a part of the page that fails to load says so, and loads on retry', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, expectProblem } = opened
  expectProblem(/net::ERR_FAILED/)
  expectProblem(/^A part of the page was not loaded: /)
  await open('/settings')
  await signIn()
  const bell = page.getByRole('button', { name: /^Notifications/ })
  const failed = page.getByText('Part of the page did not load')
  // A button of the frame: a toast reports it.
  await page.route('**/assets/NotificationBell-*.js', (route) => route.abort())
  await page.reload()
  await failed.waitFor()
  expect(await bell.count()).toBe(0)
  // Its button leaves the text more space than a single word.
  expect(await failed.evaluate((one) => one.getBoundingClientRect().width)).toBeGreaterThan(150)
  expect(await opened.checkAccessibility()).toEqual([])
  await page.unroute('**/assets/NotificationBell-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await bell.waitFor()
  expect(await failed.count()).toBe(0)
  // A part of the content: the error takes its place.
  await page.route('**/assets/ContactList-*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'Shared', exact: true }).first().click()
  await page.getByRole('radio', { name: 'Contacts' }).check({ force: true })
  const alert = page.getByRole('main').getByRole('alert')
  await alert.filter({ has: failed }).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  await page.unroute('**/assets/ContactList-*.js')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No contacts yet').waitFor()
})

test('a page that loads slowly replaces the one before by a placeholder', async () => {
  const opened = await site.newPage()
  const { page } = opened
  await opened.open('/settings')
  await opened.signIn()
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/NamesPage-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Names' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor({ state: 'detached' })
  release()
  await page.getByRole('heading', { name: 'Names', level: 1 }).waitFor()
})

test('a page that fails to load while the service is unresponsive keeps the frame, and loads when the service answers', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, expectProblem } = opened
  expectProblem(/net::ERR_/)
  expectProblem(/^A part of the page failed: PartNotLoaded: /)
  await open('/settings')
  await signIn()
  const isSilent = ({ origin, pathname }: URL) =>
    origin === new URL(site.network.profile.api).origin && (pathname === '/' || pathname.includes('/NamesPage-'))
  await page.route(isSilent, (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Names', exact: true }).first().click()
  const heading = page.getByRole('heading', { level: 1, name: 'The page did not load' })
  await heading.waitFor()
  expect(await page.getByRole('navigation').count()).toBeGreaterThan(0)
  expect(await opened.checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Try again' }).click()
  await heading.waitFor()
  await page.unroute(isSilent)
  await page.getByText('No names yet').waitFor()
})

test('an encrypted upload whose response was lost is stored once, even if no more code loads', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/ERR_FAILED/)
  await opened.open('/files')
  await opened.signIn()
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const buffer = Buffer.from('its response is lost')
  await page.setInputFiles('input[data-upload=files]', { name: 'lost.txt', mimeType: 'text/plain', buffer })
  const lose = async (route: Route) => {
    await route.fetch()
    await page.route('**/assets/**', (asset) => asset.abort())
    await route.abort()
  }
  await page.route('**/api/v0/add*', lose, { times: 1 })
  await startUpload(page, 'encrypted')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor()
  const client = await createPageClient(site, page)
  expect((await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)).toEqual(['lost.txt'])
})

test('a plain upload whose responses were lost is stored once when the user retries it, also on the next page', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/ERR_FAILED/)
  await opened.open('/files')
  await opened.signIn()
  const panel = page.getByRole('region', { name: 'Transfers' })
  await page.route('**/api/v0/add*', async (route) => {
    await route.fetch()
    await route.abort()
  })
  for (const name of ['retried.txt', 'reloaded.txt']) {
    await page.getByRole('button', { name: 'Upload' }).first().click()
    const buffer = Buffer.from(`content of ${name}`)
    await page.setInputFiles('input[data-upload=files]', { name, mimeType: 'text/plain', buffer })
    await startUpload(page, 'public')
  }
  await expect.poll(() => panel.getByText(/^Network error/).count(), { timeout: 60_000 }).toBe(2)
  await page.unroute('**/api/v0/add*')
  await panel.getByRole('button', { name: 'Retry retried.txt' }).click()
  await panel.getByText('Stored', { exact: true }).waitFor()
  await page.reload()
  await panel.getByText('Stored', { exact: true }).waitFor()
  const client = await createPageClient(site, page)
  const names = (await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)
  expect(names.sort()).toEqual(['reloaded.txt', 'retried.txt'])
})
