// The wallet dialog: several wallets, one that is busy or declines, none at all, by keyboard and on a phone.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createTestWallet } from './test-wallet.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('shows two announced wallets by their pictures, and each is chosen with the keyboard alone', async () => {
  const { page, context, wallet, open, checkAccessibility } = await site.newPage()
  const other = await createTestWallet(context, 1, undefined, 'Other Wallet')
  await open('/files')
  const way = page.getByRole('main').getByRole('button', { name: 'Connect wallet' })
  await way.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Connect a wallet' })
  await dialog.getByRole('button', { name: wallet.name }).waitFor()
  // A wallet's picture is shown as an image, so that nothing in it can run.
  expect(
    await dialog.locator('li img').evaluateAll((all) => all.map((one) => one.getAttribute('src')?.slice(0, 19))),
  ).toEqual(['data:image/svg+xml,', 'data:image/svg+xml,'])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await way.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  const choice = dialog.getByRole('button', { name: other.name })
  for (let i = 0; i < 8 && !(await choice.evaluate((element) => element === document.activeElement)); i++) {
    await page.keyboard.press('Tab')
  }
  other.rejectNext('personal_sign')
  await page.keyboard.press('Enter')
  // The dialog of a connected wallet has another title.
  const signIn = page.getByRole('dialog', { name: 'Sign in' })
  await signIn.getByText('You rejected the signature.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await signIn.getByRole('button', { name: 'Other wallets' }).click()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
  expect(other.requests).toContain('personal_sign')
  expect(wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(1)
})

test('reports a wallet that has another window open, and asks it again', async () => {
  const { page, wallet, open, checkAccessibility } = await site.newPage({ theme: 'dark' })
  await open('/files')
  wallet.blockNext('wallet_requestPermissions')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: wallet.name }).click()
  await dialog.getByRole('heading', { name: 'Your wallet is waiting' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
})

test('an unresponsive wallet does not block the dialog: Back works, and a later answer changes nothing', async () => {
  const { page, context, wallet, open } = await site.newPage()
  const slow = await createTestWallet(context, 1, undefined, 'Slow Wallet')
  const free = slow.holdNext('wallet_requestPermissions')
  await open('/files')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: slow.name }).click()
  await dialog.getByRole('heading', { name: 'Opening Slow Wallet' }).waitFor()
  await dialog.getByRole('button', { name: 'Other wallets' }).click()
  await dialog.getByRole('button', { name: wallet.name }).click()
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
  free()
  const kept = () => page.evaluate("localStorage.getItem('cairn.wallet.store')")
  await expect.poll(kept).toContain(slow.accounts[0]?.address)
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
})

test('a signature that arrives after Back does not sign in, and its credentials are revoked', async () => {
  const { page, wallet, open } = await site.newPage()
  const sign = wallet.holdNext('personal_sign')
  await open('/files')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: wallet.name }).click()
  await dialog.getByRole('heading', { name: 'Sign in your wallet' }).waitFor()
  await expect.poll(() => wallet.requests).toContain('personal_sign')
  await dialog.getByRole('button', { name: 'Other wallets' }).click()
  await dialog.getByRole('button', { name: wallet.name }).waitFor()
  const revoked = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().includes('/api/auth/'),
  )
  sign()
  expect((await revoked).status()).toBe(200)
  expect(await page.getByRole('button', { name: /^Account 0x/ }).count()).toBe(0)
  expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
})

test('a signature of an account that the wallet has left does not sign in, and the dialog shows the other one', async () => {
  const { page, wallet, open } = await site.newPage({ accounts: 2 })
  const sign = wallet.holdNext('personal_sign')
  await open('/files')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: wallet.name }).click()
  await expect.poll(() => wallet.requests).toContain('personal_sign')
  await wallet.choose(1)
  const revoked = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().includes('/api/auth/'),
  )
  sign()
  expect((await revoked).status()).toBe(200)
  await dialog.getByTitle(wallet.accounts[1]?.address ?? '').waitFor()
  expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Account ${wallet.accounts[1]?.address}` }).waitFor()
})

test('a phone without a wallet opens the page in the browser of a wallet app; a desktop shows where to get one', async () => {
  const phone = await site.newPage({ accounts: 0, width: 360, height: 740, isPhone: true })
  await phone.open('/open/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  await phone.page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const link = phone.page.getByRole('link', { name: 'Open in MetaMask' })
  expect(await link.getAttribute('href')).toBe(
    `https://metamask.app.link/dapp/${new URL(site.network.profile.api).host}/open/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e`,
  )
  expect(await phone.checkAccessibility()).toEqual([])
  expect(await phone.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  const desktop = await site.newPage({ accounts: 0 })
  await desktop.open('/')
  await desktop.page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const get = desktop.page.getByRole('link', { name: 'Get Phantom' })
  expect(await get.getAttribute('href')).toBe('https://phantom.com/download')
  expect(await get.getAttribute('rel')).toBe('noreferrer')
})
