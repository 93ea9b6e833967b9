// Wallets on other devices, by WalletConnect: the published client as the wallet, over a relay on this machine.
import type { BrowserContext } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startRelay, type TestRelay } from './relay.ts'
import { createRemoteWallet } from './remote-wallet.ts'

const projectId = '0123456789abcdef0123456789abcdef'
const verifyOrigin = 'https://verify.walletconnect.org'
let relay: TestRelay
let site: ConsoleTest
let plain: ConsoleTest
beforeAll(async () => {
  relay = await startRelay()
  const environment = { CAIRN_WALLETCONNECT_PROJECT_ID: projectId, CAIRN_WALLETCONNECT_RELAY_URL: relay.url }
  site = await openConsoleTest({ environment })
  plain = await openConsoleTest()
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await plain?.[Symbol.asyncDispose]()
  await relay?.[Symbol.asyncDispose]()
})

/** Verify is a service of WalletConnect; here it answers that it does not know the site. */
async function answerVerify(context: BrowserContext): Promise<void> {
  await context.route(`${verifyOrigin}/**`, (route) => {
    const id = new URL(route.request().url()).searchParams.get('id')
    if (id === null) return route.fulfill({ status: 404 })
    const claims = Buffer.from(JSON.stringify({ id })).toString('base64url')
    const attestation = JSON.stringify(`e30.${claims}.e30`)
    const body = `<script>parent.postMessage(JSON.stringify({ type: 'verify_attestation', attestation: ${attestation} }), '*')</script>`
    return route.fulfill({ contentType: 'text/html', body })
  })
}

async function newPage(options?: { width?: number; height?: number }, from = site): Promise<ConsolePage> {
  const opened = await from.newPage({ accounts: 0, ...options })
  opened.expectProblem(new RegExp(`foreign request: ${verifyOrigin}`))
  await answerVerify(opened.context)
  return opened
}

/** Selects WalletConnect, and reads the code. */
async function readCode({ page }: ConsolePage): Promise<string> {
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('region', { name: 'Other' }).getByRole('button', { name: 'WalletConnect' }).click()
  await dialog.getByRole('img', { name: 'Code to scan with a wallet app' }).waitFor()
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  return page.evaluate('navigator.clipboard.readText()')
}

test('a wallet on another device scans the code, signs in, stays after a reload, and ends the session when it leaves', async () => {
  const opened = await newPage()
  const { page, open, checkAccessibility } = opened
  const wallet = await createRemoteWallet(relay.url)
  await open('/files')
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor()
  const before = relay.visitors.length
  // The dialog offers to install a wallet, beside the connection to another device.
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('heading', { name: 'No wallet found' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  expect(relay.visitors.slice(before)).toEqual([])
  const uri = await readCode(opened)
  expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?.*symKey=[0-9a-f]{64}/)
  expect(relay.visitors.slice(before)).toEqual([{ projectId, issuer: expect.stringMatching(/^did:key:z6Mk/) }])
  expect(await checkAccessibility()).toEqual([])
  await wallet.scan(uri)
  await page.getByRole('button', { name: `Account ${wallet.account.address}` }).waitFor()
  expect(wallet.requests).toEqual(['personal_sign'])
  await page.reload()
  await page.getByRole('button', { name: `Account ${wallet.account.address}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  // Signing still reaches it.
  await open('/api-keys')
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Create/ })
    .click()
  await page.getByRole('heading', { name: 'Copy your API key now' }).waitFor()
  expect(wallet.requests).toEqual(['personal_sign', 'personal_sign'])
  await wallet.leave()
  await page.getByText('The wallet was disconnected, so you are signed out.').waitFor()
})

test('reports a request declined on the other device, and the other wallets stay available', async () => {
  const opened = await newPage({ width: 360, height: 740 })
  const { page, open } = opened
  const wallet = await createRemoteWallet(relay.url)
  await open('/files')
  await wallet.scan(await readCode(opened), false)
  await page.getByText('You rejected the connection. Nothing was shared.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'WalletConnect' }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
})

test('declining an abandoned code does not remove the next one', async () => {
  const opened = await newPage()
  const { page, open } = opened
  const wallet = await createRemoteWallet(relay.url)
  /** Messages of the relay. */
  let frames = 0
  page.on('websocket', (socket) => socket.on('framereceived', () => frames++))
  await open('/files')
  const first = await readCode(opened)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Other wallets' }).click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const second = await readCode(opened)
  expect(second).not.toBe(first)
  const before = frames
  await wallet.scan(first, false)
  await expect.poll(() => frames).toBeGreaterThan(before)
  // The page has handled it when it is drawn the next time.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(resolve))))
  await dialog.getByRole('img', { name: 'Code to scan with a wallet app' }).waitFor()
  await wallet.scan(second)
  await page.getByRole('button', { name: `Account ${wallet.account.address}` }).waitFor()
})

test('without a project ID there is no such wallet, no request, and no entry for it in the policy', async () => {
  const { page, open } = await plain.newPage()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  page.on('websocket', (socket) => loaded.push(socket.url()))
  await open('/')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).waitFor()
  expect(await page.getByRole('button', { name: 'WalletConnect' }).count()).toBe(0)
  expect(loaded.filter((url) => /wallet-?connect|remote-wallet|wss?:/i.test(url))).toEqual([])
  const policy = async ({ network }: ConsoleTest) =>
    (await fetch(network.profile.api)).headers.get('content-security-policy') ?? ''
  expect(await policy(plain)).not.toMatch(/wss?:|walletconnect|frame-src/)
  expect(await policy(site)).toMatch(new RegExp(`connect-src [^;]*${relay.url} ${verifyOrigin}`))
  expect(await policy(site)).toContain(`frame-src ${verifyOrigin};`)
})

test('reports a relay that cannot be reached as offline', async () => {
  const environment = { CAIRN_WALLETCONNECT_PROJECT_ID: projectId, CAIRN_WALLETCONNECT_RELAY_URL: 'ws://127.0.0.1:9' }
  await using away = await openConsoleTest({ environment })
  const { page, open, expectProblem, checkAccessibility } = await newPage({}, away)
  // In the words of Chromium and Firefox.
  expectProblem(
    /^(WebSocket connection to '|Firefox can’t establish a connection to the server at )ws:\/\/127\.0\.0\.1:9\//,
  )
  await open('/')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'WalletConnect' }).click()
  await page.getByText('cannot be reached').waitFor({ timeout: 60_000 })
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'WalletConnect' }).waitFor()
})
