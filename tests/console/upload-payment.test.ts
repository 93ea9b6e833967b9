// An upload larger than the remaining storage: paid for in the sheet, then it continues automatically.
import { createClient, useFaucet } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startButton } from './start-upload.ts'

const mib = 1024 * 1024
/** Machines are slow at times. */
const patient = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local', environment: { CAIRN_FREE_BYTES: String(mib) } })
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Signed in, with coins, and with a file in the sheet that is larger than the free storage. */
async function openShort(options: Parameters<ConsoleTest['newPage']>[0] = {}): Promise<ConsolePage> {
  const opened = await site.newPage(options)
  const { page, wallet } = opened
  const [account] = wallet.accounts
  if (account === undefined) throw new Error('the wallet has no account')
  await useFaucet(createClient({ network: site.network.profile }), account.address)
  await opened.open('/names')
  await opened.signIn()
  await page.getByRole('link', { name: 'Files', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const file = { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(3 * mib, 7) }
  await page.setInputFiles('input[data-upload=files]', file)
  await page.getByRole('dialog').getByText('Public', { exact: true }).click()
  await page.getByRole('heading', { name: /^Add 2 MiB, \$/ }).waitFor()
  return opened
}

test('pays for the missing storage in the sheet, and starts the upload when it is credited', async () => {
  const { page, wallet, checkAccessibility } = await openShort()
  expect(await page.getByRole('button', { name: startButton.public }).isDisabled()).toBe(true)
  await page.getByText('2 MiB more than you have left.').waitFor()
  await page.getByText('USDC', { exact: true }).click()
  await page.getByText(/^0\.0078\d*\sUSDC$/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Review payment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pay for storage' })
  await dialog.getByText('What your wallet asks next').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Continue in wallet' }).click()
  const transfers = page.getByRole('region', { name: 'Transfers' })
  await transfers.getByText('Stored', { exact: true }).waitFor(patient)
  await page.getByRole('link', { name: 'large.bin' }).waitFor()
  expect(await page.getByRole('dialog', { name: 'Upload' }).count()).toBe(0)
  expect(wallet.requests.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2)
})

test('a declined payment keeps the sheet unchanged, and sends and pays nothing', async () => {
  const { page, wallet } = await openShort({ width: 360, height: 740, theme: 'dark' })
  // Back closes only the part on top, and the page stays.
  await page.getByRole('button', { name: 'Review payment' }).click()
  const review = page.getByRole('dialog', { name: 'Pay for storage' })
  await review.waitFor()
  await page.goBack()
  await review.waitFor({ state: 'detached' })
  await page.getByRole('dialog', { name: 'Upload' }).waitFor()
  await page.getByRole('button', { name: 'Review payment' }).click()
  wallet.rejectNext('eth_sendTransaction')
  await page.getByRole('button', { name: 'Continue in wallet' }).click()
  await page.getByText('You rejected the payment. You were not charged.').waitFor(patient)
  expect(await page.getByRole('textbox', { name: 'Name of large.bin' }).count()).toBe(1)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Review payment' }).waitFor()
  expect(await page.getByRole('button', { name: startButton.public }).isDisabled()).toBe(true)
})
