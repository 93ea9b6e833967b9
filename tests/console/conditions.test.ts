import { getConditions, uploadEncryptedText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { stopNodes } from './take-nodes-away.ts'
import { createAccountClient } from './wallet-client.ts'

/** Generous, because machines are slow at times: what is awaited appears, or the test is wrong. */
const patient = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function openAccess({ page, open }: ConsolePage, cid: string): Promise<void> {
  await open(`/files/${cid}/access`)
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('heading', { name: 'Conditions', exact: true }).waitFor()
}

test('writes a condition as a sentence, saves it on five nodes, and lets it decide who opens the file', async () => {
  const owner = await site.newPage()
  const { page, checkAccessibility } = owner
  const client = await createAccountClient(site.network, owner.wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'For the patient', { name: 'later.txt' })
  await openAccess(owner, cid)
  await page.getByRole('button', { name: 'Block number' }).click()
  await expect.poll(() => page.evaluate('document.activeElement?.ariaLabel')).toBe('Chain of condition 1')
  expect(await page.getByLabel('Chain of condition 1').inputValue()).toBe('local')
  await page.getByLabel('Amount of condition 1').fill('1e9')
  // Not during typing.
  const wrong = page.getByText('Must be a whole number of at least 0.')
  expect(await wrong.count()).toBe(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await wrong.waitFor()
  await page.getByText('Fix 1 problem before saving').waitFor()
  expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Amount of condition 1')
  expect(await checkAccessibility()).toEqual([])
  await page.getByLabel('Amount of condition 1').fill('1000000000')
  await page.getByRole('region', { name: 'Unsaved changes' }).getByText('Added').waitFor()
  expect(await checkAccessibility()).toEqual([])

  // Unsaved conditions are tried as they are, on the own wallet and on any address, and each line is marked.
  const lines = page.getByRole('list', { name: 'Conditions' })
  await page.getByRole('button', { name: 'Check my wallet' }).click()
  await page.getByText('No, this address would not meet these conditions.').waitFor()
  await lines.getByText('Not met', { exact: true }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByLabel('Amount of condition 1').fill('1')
  await expect.poll(() => lines.getByText('Not met', { exact: true }).count()).toBe(0)
  await page.getByLabel('Address', { exact: true }).fill(`0x${'34'.repeat(20)}`)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('Yes, this address would meet these conditions.').waitFor()
  await lines.getByText('Met', { exact: true }).waitFor()
  await page.getByLabel('Amount of condition 1').fill('1000000000')
  expect((await getConditions(client, cid)).conditions).toEqual([])

  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.getByRole('region', { name: 'Unsaved changes' }).count(), patient).toBe(0)
  expect((await getConditions(client, cid)).conditions).toMatchObject([
    { id: 1, chain: 'local', method: 'getBlockNumber', returnValueTest: { comparator: '>=', value: '1000000000' } },
  ])

  // The address does not meet them yet, and the opened link shows the failed condition.
  await page.getByLabel('Address', { exact: true }).fill(`0x${'12'.repeat(20)}`)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('No, this address does not have access.').waitFor()
  await page.getByText('Not met', { exact: true }).waitFor()
  const reader = await site.newPage()
  await reader.open(`/open/${cid}`)
  await reader.page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await reader.page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await reader.page.getByText('Anyone, while the block number of local is at least 1000000000').waitFor()
  await reader.page.getByText('Not met', { exact: true }).waitFor()
  expect(await reader.checkAccessibility()).toEqual([])

  // After the change, they grant access; the change is shown beside the previous version.
  await page.getByLabel('Amount of condition 1').fill('1')
  const changes = page.getByRole('region', { name: 'Unsaved changes' })
  await changes.getByText('before: Anyone, while the block number of local is at least 1000000000').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => changes.count(), patient).toBe(0)
  await reader.page.getByRole('button', { name: 'Try again' }).click()
  await reader.page.getByText('For the patient').waitFor()

  // Removed again.
  await page.getByRole('button', { name: 'Remove condition 1' }).click()
  await page.getByRole('button', { name: 'Remove all conditions' }).click()
  await expect.poll(async () => (await getConditions(client, cid)).conditions, patient).toEqual([])
  expect(owner.problems).toEqual([])
  expect(reader.problems).toEqual([])
})

test('looks up a token on its chain, takes its amount in whole coins, and groups several conditions', async () => {
  const owner = await site.newPage({ width: 360, height: 740, theme: 'dark' })
  const { page, checkAccessibility } = owner
  const client = await createAccountClient(site.network, owner.wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'For holders', { name: 'club.txt' })
  const usdc = site.network.profile.chain?.tokens['usdc']
  const dai = site.network.profile.chain?.tokens['dai']
  if (usdc === undefined || dai === undefined) throw new Error('the local chain has no such tokens')
  await openAccess(owner, cid)
  await page.getByRole('button', { name: 'Token (ERC-20)' }).click()
  // Before the token is known, an amount also means whole tokens.
  await page.getByLabel('Amount of condition 1').fill('30')
  await page.getByLabel('Contract address of condition 1').focus()
  const wrong = page.getByText('Contract address: Must be 0x and 40 hex characters.')
  expect(await wrong.count()).toBe(0)
  await page.keyboard.press('Tab')
  await wrong.waitFor()
  await page.getByLabel('Contract address of condition 1').fill(usdc.address)
  await page.getByText(`${usdc.decimals} decimals`).waitFor()
  await page.getByText('saved as 30000000 smallest units').waitFor()
  expect(await page.getByLabel('Amount of condition 1').inputValue()).toBe('30')
  // For another token, the same number of whole tokens is meant, although its units are smaller.
  await page.getByLabel('Contract address of condition 1').fill(dai.address)
  await page.getByText(`saved as 30${'0'.repeat(18)} smallest units`).waitFor()
  expect(await page.getByLabel('Amount of condition 1').inputValue()).toBe('30')
  await page.getByLabel('Contract address of condition 1').fill(usdc.address)
  await page.getByText('saved as 30000000 smallest units').waitFor()
  await page.getByLabel('Amount of condition 1').fill('2.5')
  for (const kind of ['Coin balance', 'Block number']) {
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByRole('menuitem', { name: kind }).click()
  }
  await page.getByText('custom grouping').click()
  await page.getByRole('textbox', { name: 'Grouping' }).fill('(1 and 2) or 7')
  const unknown = page.getByText('Contains the id 7, which does not belong to a condition.')
  expect(await unknown.count()).toBe(0)
  await page.keyboard.press('Tab')
  await unknown.waitFor()
  await page.getByRole('textbox', { name: 'Grouping' }).fill('(1 and 2) or 3')
  await page.getByText('This means').waitFor()
  await page.getByText('Advanced').first().click()
  expect(await page.getByLabel('Value').inputValue()).toBe('2500000')
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.getByRole('button', { name: 'Check my wallet' }).click()
  await page.getByText(/^(Yes|No), this address would/).waitFor()
  // Each line has its mark, including one that no longer decides anything.
  await expect
    .poll(() =>
      page
        .getByRole('list', { name: 'Conditions' })
        .getByText(/^(Met|Not met)$/)
        .count(),
    )
    .toBe(3)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await getConditions(client, cid)).aggregator, patient).toBe('([1] and [2]) or [3]')
  expect(owner.problems).toEqual([])
})

test('imports and exports conditions as JSON, and lists the errors in it', async () => {
  const owner = await site.newPage()
  const { page, checkAccessibility } = owner
  const client = await createAccountClient(site.network, owner.wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'As JSON', { name: 'json.txt' })
  await openAccess(owner, cid)
  await page.getByRole('button', { name: 'As JSON' }).click()
  const dialog = page.getByRole('dialog', { name: 'As JSON' })
  await dialog.getByRole('textbox', { name: 'Conditions' }).fill('{ "conditions": [{ "id": 1 }] }')
  await dialog.getByRole('button', { name: 'Use these' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await checkAccessibility()).toEqual([])
  const solana = {
    chainType: 'SOLANA',
    conditions: [
      {
        id: 1,
        chain: 'DEVNET',
        standardContractType: '',
        method: 'getBalance',
        pdaInterface: { offset: 0, selector: '' },
        returnValueTest: { comparator: '>=', value: '1500000000' },
      },
    ],
  }
  await dialog.getByRole('textbox', { name: 'Conditions' }).fill(JSON.stringify(solana))
  await dialog.getByRole('button', { name: 'Use these' }).click()
  await page.getByRole('list', { name: 'Conditions' }).getByText('SOL on').waitFor()
  expect(await page.getByLabel('Amount of condition 1').inputValue()).toBe('1.5')
  // Unsaved conditions survive a visit to another page.
  await page.getByRole('link', { name: 'Shared' }).click()
  await page.getByRole('heading', { name: 'Shared', level: 1 }).waitFor()
  await page.goBack()
  await expect.poll(() => page.getByLabel('Amount of condition 1').inputValue(), patient).toBe('1.5')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByText('No conditions.').waitFor()
  expect(owner.problems).toEqual([])
})

test('reports a failed save in its toast and among the transfers, and saves on retry', async () => {
  const owner = await site.newPage()
  const { page } = owner
  const client = await createAccountClient(site.network, owner.wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Not yet', { name: 'club.txt' })
  await openAccess(owner, cid)
  await page.getByRole('button', { name: 'Block number' }).click()
  await page.getByLabel('Amount of condition 1').fill('1')
  const restore = await stopNodes(owner, site.network, 1, 2, 3, 4, 5)
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('region', { name: 'Notifications' })
    .getByText('Saving the conditions of club.txt failed')
    .waitFor()
  await page.getByRole('button', { name: /^Show transfers/ }).click()
  const row = page.getByRole('list', { name: 'Transfers' }).getByRole('listitem')
  await row.getByText('Saving the conditions of club.txt failed', { exact: true }).waitFor()
  await restore()
  await row.getByRole('button', { name: /^Retry / }).click()
  await row.getByText('Saved the conditions of club.txt', { exact: true }).waitFor()
  expect((await getConditions(client, cid)).conditions).toHaveLength(1)
})
