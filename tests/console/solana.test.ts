// Accounts of Solana in the console: a wallet that announces itself by the Wallet Standard signs in, encrypts and shares.
import { createClient, listFiles, uploadEncryptedText } from '@cairn/sdk'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { finishSharing } from './finish-sharing.ts'
import { createSolanaWallet, type TestSolanaWallet } from './solana-wallet.ts'
import { createAccountClient } from './wallet-client.ts'

/** Generous, because machines are slow at times: what is awaited appears, or the test is wrong. */
const patient = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

type SolanaPage = ConsolePage & { sol: TestSolanaWallet }

/** A browser with a Solana wallet, and with an EVM wallet beside it if `evm` accounts are given. */
async function newSolanaPage({ evm = 0, count = 1 } = {}): Promise<SolanaPage> {
  const opened = await site.newPage({ accounts: evm })
  return { ...opened, sol: await createSolanaWallet(opened.context, { count }) }
}

async function signIn({ page, sol }: SolanaPage): Promise<void> {
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: sol.name }).click()
  await page.getByRole('button', { name: `Account ${sol.addresses[0]}` }).waitFor()
}

/** Waits for what a page should show, and signs for the key nodes if they were not part of the sign-in. */
async function waitThroughKeys(page: Page, target: Locator): Promise<void> {
  const sign = page.getByRole('dialog', { name: 'One more signature' }).getByRole('button', { name: 'Sign' })
  await sign.or(target).first().waitFor(patient)
  if (await sign.isVisible()) await sign.click()
  await target.waitFor(patient)
}

test('a Solana account signs in, stays signed in after a reload without a window, and leaves with its wallet', async () => {
  const opened = await newSolanaPage()
  const { page, sol, open, checkAccessibility } = opened
  await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // No page opens a wallet without a user action.
  expect(sol.requests).toEqual([])
  await signIn(opened)
  expect(sol.requests).toEqual(['connect', 'signMessage'])
  expect(sol.texts[0]).toContain(sol.addresses[0])
  await page.getByText('Nothing here yet').waitFor()
  await page.reload()
  await page.getByRole('button', { name: `Account ${sol.addresses[0]}` }).click()
  const sheet = page.getByRole('dialog', { name: 'Account' })
  await sheet.getByText('Buying storage needs an EVM account.').waitFor()
  await expect.poll(() => sol.requests.slice(2)).toEqual(['connect (silent)'])
  await open('/billing')
  await page.getByRole('heading', { name: 'A Solana account cannot buy storage' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  // Signing uses the wallet that was found again.
  await open('/api-keys')
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Create/ })
    .click()
  await page.getByRole('heading', { name: 'Copy your API key now' }).waitFor()
  await sol.leave()
  await page.getByText('The wallet was disconnected, so you are signed out.').waitFor()
  expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
})

test('switching the Solana wallet account ends the session at once', async () => {
  const opened = await newSolanaPage({ count: 2 })
  const { page, sol, open } = opened
  await open('/files')
  await signIn(opened)
  await page.getByText('Nothing here yet').waitFor()
  await sol.choose(1)
  await page.getByText('The data of the previous account is cleared').waitFor()
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Account ${sol.addresses[1]}` }).waitFor()
})

test('reports a declined connection or signature in a Solana wallet, and rejects a changed text', async () => {
  const { page, sol, open, checkAccessibility } = await newSolanaPage()
  await open('/files')
  sol.rejectNext('connect')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: sol.name }).click()
  await dialog.getByText('You rejected the connection. Nothing was shared.').waitFor()
  sol.rejectNext('signMessage')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('You rejected the signature. You are connected, but not signed in.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  sol.wrapTexts()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('The wallet signed a different text').waitFor()
  expect(await page.evaluate("sessionStorage.getItem('cairn.session')")).toBeNull()
})

test('shares an encrypted file from a Solana account with an EVM account, and the other way round', async () => {
  const owner = await newSolanaPage()
  const reader = await site.newPage()
  const readerAddress = reader.wallet.accounts[0]?.address.toLowerCase() ?? ''
  await owner.open('/files')
  await signIn(owner)
  await owner.page.getByText('Nothing here yet').waitFor()
  await owner.page.getByRole('button', { name: 'Upload' }).first().click()
  const sheet = owner.page.getByRole('dialog')
  const buffer = Buffer.from('Written under another sun')
  await sheet
    .locator('input[type=file]')
    .first()
    .setInputFiles([{ name: 'sun.txt', mimeType: 'text/plain', buffer }])
  await sheet.getByText('Encrypted', { exact: true }).click()
  await sheet.getByRole('button', { name: 'Upload' }).click()
  const row = owner.page.getByRole('grid').getByText('sun.txt')
  await waitThroughKeys(owner.page, row)
  const cid = await cidOf(owner, 'sun.txt')

  await owner.open(`/files/${cid}`)
  await waitThroughKeys(owner.page, owner.page.getByText('Written under another sun'))
  await owner.open(`/files/${cid}/access`)
  const share = owner.page.getByRole('button', { name: 'Share', exact: true })
  await share.click()
  const dialog = owner.page.getByRole('dialog', { name: 'Share this file' })
  await dialog.getByLabel('Addresses').fill(readerAddress)
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
  await finishSharing(owner.page)
  await owner.page.getByRole('list', { name: 'People' }).getByText(readerAddress).waitFor(patient)

  // Conditions are tried for an account of either kind.
  await owner.page.getByRole('button', { name: 'Block number' }).click()
  await owner.page.getByLabel('Amount of condition 1').fill('0')
  await owner.page.getByRole('button', { name: 'Check my wallet' }).click()
  await owner.page.getByText('Yes, this address would meet these conditions.').waitFor(patient)

  await reader.open(`/open/${cid}`)
  await reader.page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await reader.page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await waitThroughKeys(reader.page, reader.page.getByText('Written under another sun'))

  // And an EVM account shares with the Solana account.
  const other = await createAccountClient(site.network, reader.wallet.accounts[0])
  const { cid: back } = await uploadEncryptedText(other, 'Seen from the first planet', { name: 'back.txt' })
  await reader.open(`/files/${back}/access`)
  await reader.page.getByRole('button', { name: 'Share', exact: true }).click()
  const reply = reader.page.getByRole('dialog', { name: 'Share this file' })
  await reply.getByLabel('Addresses').fill(owner.sol.addresses[0] ?? '')
  await reply.getByRole('button', { name: 'Share', exact: true }).click()
  await finishSharing(reader.page)
  await reader.page
    .getByRole('list', { name: 'People' })
    .getByText(owner.sol.addresses[0] ?? '')
    .waitFor(patient)
  await owner.open(`/open/${back}`)
  await waitThroughKeys(owner.page, owner.page.getByText('Seen from the first planet'))
})

test('lists wallets of both kinds in one dialog, the last used first, and each signs in on its own', async () => {
  const opened = await newSolanaPage({ evm: 1 })
  const { page, sol, wallet, open, checkAccessibility } = opened
  const second = await createSolanaWallet(opened.context, { name: 'Second Sol' })
  await open('/files')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  const installed = dialog.getByRole('region', { name: 'Installed' }).getByRole('button')
  await expect
    .poll(() => installed.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Test Wallet\s+EVM$/),
      expect.stringMatching(/^Test Sol\s+Solana$/),
      expect.stringMatching(/^Second Sol\s+Solana$/),
    ])
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: second.name }).click()
  await page.getByRole('button', { name: `Account ${second.addresses[0]}` }).click()
  await page.getByRole('dialog', { name: 'Account' }).getByRole('button', { name: 'Use another wallet' }).click()
  const recent = page.getByRole('dialog').getByRole('region', { name: 'Recent' }).getByRole('button')
  await expect.poll(() => recent.allInnerTexts()).toEqual([expect.stringMatching(/^Second Sol/)])
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
  // A wallet of the other kind that appears or disappears changes nothing.
  await second.choose(0)
  await page.getByRole('button', { name: `Account ${wallet.accounts[0]?.address}` }).waitFor()
  expect(sol.requests).toEqual([])
})

async function cidOf({ page }: SolanaPage, name: string): Promise<string> {
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  const files = await Array.fromAsync(listFiles(createClient({ network: site.network.profile, apiKey })))
  return files.find(({ fileName }) => fileName === name)?.cid ?? ''
}
