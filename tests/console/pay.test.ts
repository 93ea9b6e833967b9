// Paying for storage from the page, with a wallet in the browser.
import { createClient, getQuotaReport, useFaucet } from '@cairn/sdk'
import { createPublicClient, createWalletClient, http, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'

const mib = 1024 * 1024
const windows = /^(?:eth_sendTransaction|wallet_sendCalls|wallet_switchEthereumChain|personal_sign)$/
/** The machine may be busy. */
const patience = { timeout: 60_000 }
let site: ConsoleTest

beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Signed in on /storage, with test coins in the wallet. */
async function openStorage({ isFunded = true } = {}): Promise<ConsolePage & { address: `0x${string}` }> {
  const opened = await site.newPage()
  const [account] = opened.wallet.accounts
  if (account === undefined) throw new Error('the wallet has no account')
  if (isFunded) await useFaucet(createClient({ network: site.network.profile }), account.address)
  await opened.open('/billing')
  await opened.signIn()
  await opened.page.getByRole('heading', { name: 'Add storage' }).waitFor()
  return { ...opened, address: account.address }
}

async function chooseSize({ page }: ConsolePage, amount: string): Promise<void> {
  await page.getByText('Other', { exact: true }).click()
  await page.getByLabel('Amount').fill(amount)
  await page.getByLabel('Unit').selectOption('MiB')
}

async function readQuota({ page }: ConsolePage) {
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  return getQuotaReport(createClient({ network: site.network.profile, apiKey }))
}

test('a USDC payment shows every detail before the wallet opens, approves the exact amount and adds the storage', async () => {
  const opened = await openStorage()
  const { page, wallet, problems, address } = opened
  const before = await readQuota(opened)
  await chooseSize(opened, '512')
  await page.getByText('USDC', { exact: true }).click()
  await page.getByText('2 USDC', { exact: true }).waitFor()
  const asked = wallet.requests.length
  await page.getByRole('button', { name: 'Review payment' }).click()
  const dialog = page.getByRole('dialog')
  const chain = site.network.profile.chain
  if (chain?.paymentContract === undefined) throw new Error('the network has no chain')
  await dialog.getByText('exactly 2 USDC, and no more').waitFor()
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Pay for storage')
  for (const text of ['512\u00a0MiB', '$2.00', chain.name, chain.paymentContract]) {
    expect(await dialog.textContent()).toContain(text)
  }
  expect(wallet.requests.slice(asked).filter((method) => windows.test(method))).toEqual([])
  expect(await opened.checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Continue in wallet' }).click()
  await page.getByText('512 MiB added').first().waitFor()
  expect(wallet.requests.slice(asked).filter((method) => windows.test(method))).toEqual([
    'eth_sendTransaction',
    'eth_sendTransaction',
  ])
  const after = await readQuota(opened)
  // A price is rounded to whole units of the coin in the payer’s favour, which buys a few more bytes.
  expect(after.limitBytes - before.limitBytes).toBeGreaterThanOrEqual(512 * mib)
  expect(after.limitBytes - before.limitBytes).toBeLessThan(513 * mib)
  const reader = createPublicClient({ transport: http(chain.rpcUrl) })
  const allowance = await reader.readContract({
    address: `0x${chain.tokens['usdc']?.address.slice(2) ?? ''}`,
    abi: parseAbi(['function allowance(address, address) view returns (uint256)']),
    functionName: 'allowance',
    args: [address, `0x${chain.paymentContract.slice(2)}`],
  })
  expect(allowance).toBe(0n)
  await page.getByText('Credited', { exact: true }).waitFor()
  expect(await page.evaluate("localStorage.getItem('cairn.payments')")).toBeNull()
  // By day, with a scale.
  const chart = page.getByRole('figure', { name: 'Storage by day' })
  await chart.getByText('0 B', { exact: true }).first().waitFor()
  await page.getByRole('figure', { name: 'Sent by the gateway' }).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])

  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Add storage' }).waitFor()

  // The receipt is printed without the frame of the console.
  await page.getByRole('link', { name: 'Receipt' }).click()
  await page.getByRole('heading', { name: 'Receipt', level: 1 }).waitFor()
  const receipt = page.getByRole('main')
  for (const text of ['2 USDC', '$2.00', '512 MiB, paid once', chain.name, address.toLowerCase()]) {
    await receipt.getByText(text).first().waitFor()
  }
  expect(await opened.checkAccessibility()).toEqual([])
  // WebDriver BiDi has no printed page.
  if (!isFirefox) {
    await page.getByRole('button', { name: 'Show transfers' }).click()
    const transfers = page.getByRole('region', { name: 'Transfers' })
    await transfers.waitFor()
    await page.evaluate("document.documentElement.dataset.theme = 'dark'")
    const ink = 'getComputedStyle(document.querySelector("main dd")).color'
    expect(await page.evaluate(ink)).toBe('rgb(244, 242, 239)')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').count()).toBe(0)
    // Nothing covers it, and its texts are dark on paper.
    expect(await transfers.count()).toBe(0)
    expect(await page.evaluate(ink)).toBe('rgb(28, 26, 23)')
    expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0)
    await page.emulateMedia({ media: 'screen' })
    await transfers.getByRole('button', { name: 'Hide transfers' }).click()
  }
  await page.setViewportSize({ width: 320, height: 720 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(problems).toEqual([])
})

test('pays in the native coin of the chain, and finds the payment after a reload half-way', async () => {
  const opened = await openStorage()
  const { page, problems } = opened
  const before = await readQuota(opened)
  await chooseSize(opened, '64')
  // The service does not report the outcome, so the page cannot learn of the credit before it is left.
  await page.route('**/api/payments/*/*', () => undefined)
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
  // Stored as soon as it is sent, so the page may close.
  await expect
    .poll(() => page.evaluate("localStorage.getItem('cairn.payments')"), patience)
    .toContain('"coin":"native"')
  await page.unroute('**/api/payments/*/*')
  await page.reload()
  await page.getByText('MiB added').first().waitFor()
  await page.getByText('Credited', { exact: true }).waitFor()
  await expect
    .poll(async () => (await readQuota(opened)).limitBytes - before.limitBytes, patience)
    .toBeGreaterThanOrEqual(64 * mib)
  expect(problems).toEqual([])
})

test('a payment of an earlier page that no block contains can be hidden, to pay again', async () => {
  const opened = await openStorage()
  const { page, problems, address } = opened
  // Like a transaction that the wallet replaced while no page was open.
  const sent = {
    ...{ address: address.toLowerCase(), network: 'local', txHash: `0x${'ab'.repeat(32)}`, sentAt: Date.now() },
    ...{ coin: 'native', symbol: 'ETH', amount: '1', sizeBytes: 64 * mib },
  }
  await page.evaluate(`localStorage.setItem('cairn.payments', ${JSON.stringify(JSON.stringify([sent]))})`)
  await page.reload()
  await page.getByText('A transaction was sent. Check it in your wallet before you pay again.').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Hide' }).click()
  await page.getByRole('button', { name: 'Review payment' }).waitFor()
  expect(await page.evaluate("localStorage.getItem('cairn.payments')")).toBeNull()
  await page.reload()
  await page.getByRole('button', { name: 'Review payment' }).waitFor()
  expect(problems).toEqual([])
})

test('reports a remaining allowance before the wallet window that removes it', async () => {
  const opened = await openStorage()
  const { page, wallet, problems } = opened
  const { chain } = site.network.profile
  const [account] = wallet.accounts
  const token = chain?.tokens['usdc']
  if (chain?.paymentContract === undefined || token === undefined || account === undefined) throw new Error('no chain')
  const sender = createWalletClient({ account, transport: http(chain.rpcUrl) })
  const hash = await sender.writeContract({
    chain: null,
    address: `0x${token.address.slice(2)}`,
    abi: parseAbi(['function approve(address, uint256)']),
    functionName: 'approve',
    args: [`0x${chain.paymentContract.slice(2)}`, 1n],
  })
  await createPublicClient({ transport: http(chain.rpcUrl) }).waitForTransactionReceipt({ hash })
  await chooseSize(opened, '256')
  await page.getByText('USDC', { exact: true }).click()
  await page.getByText('1 USDC', { exact: true }).waitFor()
  const asked = wallet.requests.length
  await page.getByRole('button', { name: 'Review payment' }).click()
  const list = page.getByRole('dialog').getByRole('list')
  await list.getByText('To remove an earlier allowance of USDC.').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(3)
  await page.getByRole('button', { name: 'Continue in wallet' }).click()
  await page.getByText('256 MiB added').first().waitFor()
  expect(wallet.requests.slice(asked).filter((method) => windows.test(method))).toHaveLength(3)
  expect(problems).toEqual([])
})

test('a wallet that confirms several calls at once opens one window, as announced', async () => {
  const opened = await openStorage()
  const { page, wallet, problems } = opened
  const before = await readQuota(opened)
  wallet.allowBatches()
  await chooseSize(opened, '256')
  await page.getByText('DAI', { exact: true }).click()
  await page.getByText('1 DAI', { exact: true }).waitFor()
  const asked = wallet.requests.length
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByText('Once, to allow exactly 1 DAI and pay them in one transaction.').waitFor()
  await page.getByRole('button', { name: 'Continue in wallet' }).click()
  await page.getByText('256 MiB added').first().waitFor()
  expect(wallet.requests.slice(asked).filter((method) => windows.test(method))).toEqual(['wallet_sendCalls'])
  expect((await readQuota(opened)).limitBytes - before.limitBytes).toBeGreaterThanOrEqual(256 * mib)
  expect(problems).toEqual([])
})

test('declining in the wallet pays nothing and keeps the form unchanged', async () => {
  const opened = await openStorage()
  const { page, wallet, problems } = opened
  await chooseSize(opened, '10')
  await page.getByText('USDC', { exact: true }).click()
  await page
    .getByText(/\sUSDC$/)
    .first()
    .waitFor()
  wallet.rejectNext('eth_sendTransaction')
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
  await page.getByText('You rejected the payment. You were not charged.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Review payment' }).waitFor()
  expect(await page.getByLabel('Amount').inputValue()).toBe('10')
  expect(await page.getByRole('radio', { name: 'USDC' }).isChecked()).toBe(true)
  expect((await readQuota(opened)).boughtBytes).toBe(0)
  expect(problems).toEqual([])
})

test('reports a wallet that cannot pay, not a refusal by its user', async () => {
  const opened = await openStorage()
  const { page, wallet, problems } = opened
  await chooseSize(opened, '10')
  wallet.lackNext('eth_sendTransaction')
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByText('This wallet does not support this payment').waitFor()
  await alert.getByText('Pay with another wallet.').waitFor()
  expect(await page.getByText('You rejected the payment.').count()).toBe(0)
  expect(problems).toEqual([])
})

test('cancelling a sent transaction in the wallet pays nothing, and waits for no credit', async () => {
  const opened = await openStorage()
  const { page, wallet, problems } = opened
  await chooseSize(opened, '64')
  wallet.cancelNext()
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByText('The transaction failed or was cancelled').waitFor()
  await alert.getByText('Nothing was paid except a chain fee.').waitFor()
  expect(await page.evaluate("localStorage.getItem('cairn.payments')")).toBeNull()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Review payment' }).waitFor()
  expect((await readQuota(opened)).boughtBytes).toBe(0)
  expect(problems).toEqual([])
})

test('the page does not offer to pay again when a wallet fails after accepting a batch', async () => {
  const opened = await openStorage()
  const { page, wallet, problems } = opened
  wallet.allowBatches()
  await chooseSize(opened, '64')
  await page.getByText('DAI', { exact: true }).click()
  await page.getByText('0.25 DAI', { exact: true }).waitFor()
  wallet.disconnectFrom('wallet_getCallsStatus')
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByText('The payment was sent, but its outcome is not known yet').waitFor()
  await alert.getByText('Check it in your wallet before you pay again.').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Review payment' }).waitFor()
  expect(problems).toEqual([])
})

test('finds an accepted batch after a reload, before and after its transaction is known', async () => {
  const opened = await openStorage()
  const { page, wallet } = opened
  const before = await readQuota(opened)
  wallet.allowBatches()
  await chooseSize(opened, '64')
  await page.getByText('DAI', { exact: true }).click()
  await page.getByText('0.25 DAI', { exact: true }).waitFor()
  // The wallet does not report the outcome before the page is left.
  wallet.holdNext('wallet_getCallsStatus')
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
  await expect.poll(() => page.evaluate("localStorage.getItem('cairn.payments')"), patience).toContain('"batchId":')
  // The page that sent it tracks it, even after another page was shown.
  await page.getByRole('link', { name: 'Names' }).first().click()
  await page.getByRole('link', { name: 'Billing' }).first().click()
  await page.getByText('You can leave this page. The payment is credited anyway.').waitFor()
  expect(wallet.requests.filter((method) => method === 'wallet_getCallsStatus')).toHaveLength(1)
  const answer = wallet.holdNext('wallet_getCallsStatus')
  await page.reload()
  await page.getByText('A transaction was sent. Check it in your wallet before you pay again.').waitFor()
  await page.getByRole('button', { name: 'Hide' }).waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).count()).toBe(0)
  expect(await opened.checkAccessibility()).toEqual([])
  answer()
  await page.getByText('MiB added').first().waitFor()
  await expect
    .poll(async () => (await readQuota(opened)).limitBytes - before.limitBytes, patience)
    .toBeGreaterThanOrEqual(64 * mib)
  expect(await page.evaluate("localStorage.getItem('cairn.payments')")).toBeNull()
  expect(wallet.requests.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1)
})

test('asks for the missing storage of an upload at once, and marks an invalid size at its field', async () => {
  const opened = await openStorage({ isFunded: false })
  const { page, problems } = opened
  await opened.open(`/billing?add=${3 * mib - 5}`)
  await expect.poll(() => page.getByLabel('Amount').inputValue(), patience).toBe('3')
  await page.getByText('USDC', { exact: true }).click()
  await page.getByText('0.011719 USDC', { exact: true }).waitFor()
  await page.getByLabel('Amount').fill('lots')
  expect(await page.getByText('Enter a size above 0').count()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByText('Enter a size above 0').waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).isDisabled()).toBe(true)
  expect(await opened.checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('reports a low balance and the wrong network before it asks the wallet', async () => {
  const opened = await openStorage({ isFunded: false })
  const { page, wallet, problems } = opened
  await wallet.moveTo(1)
  await page.getByText('Your wallet is on another chain.').waitFor()
  await page.getByRole('button', { name: /^Switch to / }).click()
  await page.getByText('Your wallet is on another chain.').waitFor({ state: 'detached' })
  await page.getByText('DAI', { exact: true }).click()
  await page.getByRole('button', { name: 'Review payment' }).click()
  await page.getByText('Not enough DAI in this wallet.').waitFor()
  expect(await page.getByRole('button', { name: 'Continue in wallet' }).isDisabled()).toBe(true)
  expect(problems).toEqual([])
})

test('reports a wallet on another network, and switches it with one click', async () => {
  const { page, wallet, problems, open, signIn } = await site.newPage()
  await open('/files')
  await signIn()
  await wallet.moveTo(5)
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('dialog').getByText('Your wallet is not on local').waitFor()
  await page.getByRole('button', { name: 'Switch to local' }).click()
  await page.getByText('Your wallet is not on local').waitFor({ state: 'detached' })
  expect(wallet.requests).toContain('wallet_switchEthereumChain')
  expect(problems).toEqual([])
})
