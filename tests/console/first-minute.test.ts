// What a new user sees first: a page that teaches, no price if nothing is due, and coins to try payments.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { registerEnsName } from './ens-names.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('explains to an account without files how to upload here, in a terminal and in a program, without a price', async () => {
  const { page, open, signIn, checkAccessibility } = await site.newPage()
  await open('/files')
  await signIn()
  await page.getByRole('heading', { name: 'Encrypted by default' }).waitFor()
  await page.getByText(`cairn upload --network ${site.network.profile.api}`).waitFor()
  await page.getByText(`loadNetwork('${site.network.profile.api}')`).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('main').getByRole('button', { name: 'Try it with a sample' }).click()
  const total = page.getByRole('region', { name: 'Total' })
  await total.getByText('left after this').waitFor()
  expect(await total.textContent()).not.toMatch(/\$|payment/)
})

test('funds an empty wallet on a local network, shows the balance, and accepts ENS names for addresses', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const [account] = wallet.accounts
  const friend = `0x${'12'.repeat(20)}` as const
  const { rpcUrl = '' } = site.network.profile.chain ?? {}
  if (account === undefined) throw new Error('the wallet has no account')
  await registerEnsName(rpcUrl, 'stone-keeper.eth', account.address)
  await registerEnsName(rpcUrl, 'ida.eth', friend)
  await open('/billing')
  await signIn()
  await page.getByRole('button', { name: 'Get test coins' }).click()
  await page.getByText('Test coins sent to your wallet').waitFor()
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).click()
  const sheet = page.getByRole('dialog', { name: 'Account' })
  await sheet.getByText('Balance').waitFor()
  await sheet.getByText(/^[1-9][\d.]*\sETH$/).waitFor()
  await sheet.getByText('stone-keeper.eth').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')

  // A name can be used for its address, which is shown before it is used.
  await page.getByRole('link', { name: 'Shared' }).first().click()
  await page.getByText('Contacts', { exact: true }).click()
  await page.getByRole('button', { name: 'Add contact' }).click()
  const adding = page.getByRole('dialog', { name: 'Add contact' })
  await adding.getByLabel('Address').fill('nobody.eth')
  await adding.getByText('nobody.eth has no address.').waitFor()
  await adding.getByLabel('Address').fill('Ida.eth')
  await adding.getByText(new RegExp(friend)).waitFor()
  await adding.getByLabel('Label').fill('Ida')
  await adding.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('list', { name: 'Contacts' }).getByText('Ida', { exact: true }).waitFor()
})

test('an API key has few rights by default, and comes with a command that uses it', async () => {
  const { page, open, signIn } = await site.newPage()
  await open('/api-keys')
  await signIn()
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('radio', { name: /^Files and names/ }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Create and sign' }).click()
  const { api } = site.network.profile
  const line = (await dialog.getByText(/^CAIRN_API_KEY=/).textContent()) ?? ''
  expect(line.replace(/cairn_\w+/, 'KEY')).toBe(`CAIRN_API_KEY=KEY cairn ls --network ${api}`)
})

test('asks a connected wallet to sign in, not to connect', async () => {
  const { page, wallet, open } = await site.newPage()
  await open('/api-keys')
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  wallet.rejectNext('personal_sign')
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await page.getByText('You rejected the signature.').waitFor()
  await page.reload()
  await page.getByText('Your wallet is connected. Sign once to continue.').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog', { name: 'Sign in' }).getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
})

test('prefetching waits for a connection, and completes before the part is needed', async () => {
  const { page, context, open } = await site.newPage()
  // The clock stands still, except for the timers without which nothing is shown: a busy machine may need longer to go offline
  // than the page waits before it prefetches.
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1)
  let pending = 0
  page.on('request', () => pending++)
  page.on('requestfinished', () => pending--)
  page.on('requestfailed', () => pending--)
  // What the page loads once it is shown.
  const late = ['TransfersAnnouncer', 'DropTarget', 'EndNotice', 'ClosingNotice', 'OutageNotice']
  const isLoaded = Promise.all(late.map((part) => page.waitForResponse(new RegExp(`/assets/${part}-`))))
  await open('/')
  const heading = page.getByRole('heading', { level: 1 })
  await expect.poll(() => page.clock.runFor(1).then(() => heading.isVisible())).toBe(true)
  await isLoaded
  await expect.poll(() => pending).toBe(0)
  await context.setOffline(true)
  await page.getByText('You are offline.').waitFor()
  await page.clock.runFor(5_000)
  await context.setOffline(false)
  await page.clock.resume()
  await page.getByText('You are offline.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).waitFor()
})
