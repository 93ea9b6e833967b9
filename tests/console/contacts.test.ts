// The address book: labels in the encrypted index of the account, suggested in every address field.
import { getKeyStatus, openDrive, uploadEncryptedText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { finishSharing } from './finish-sharing.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

const ida = `0x${'12'.repeat(20)}`
const bob = `0x${'34'.repeat(20)}`

test('sharing alone creates no drive; the first change stores the addresses that files were shared with', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Where the treasure lies', { name: 'map.txt' })
  await open(`/files/${cid}/access`)
  await signIn()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Addresses').fill(ida)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Share/ })
    .click()
  await finishSharing(page)
  await page.getByRole('list', { name: 'People' }).getByText(ida.slice(0, 6)).first().waitFor()
  expect((await openDrive(client)).revision).toBe(0)
  // It is a suggestion of this page, and a contact after the first change.
  await page.getByRole('link', { name: 'Shared' }).first().click()
  await page.getByText('Contacts', { exact: true }).click()
  await page.getByRole('list', { name: 'Contacts' }).getByRole('listitem').waitFor()
  await page.getByRole('button', { name: 'Add contact' }).click()
  const adding = page.getByRole('dialog', { name: 'Add contact' })
  await adding.getByLabel('Address').fill(bob)
  await adding.getByLabel('Label').fill('Bob')
  await adding.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await openDrive(client)).contacts(), { timeout: 60_000 })
    .toMatchObject([
      { address: ida, label: '', usedAt: expect.any(Number) },
      { address: bob, label: 'Bob', usedAt: 0 },
    ])
})

test('a label is offered for sharing, shown in lists, and follows the account', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage({
    theme: 'dark',
    width: 320,
    height: 720,
  })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Where the treasure lies', { name: 'map.txt' })
  await open('/shared?by=contacts')
  await signIn()
  await page.getByRole('button', { name: 'Add contact' }).click()
  const adding = page.getByRole('dialog', { name: 'Add contact' })
  await adding.getByRole('button', { name: 'Save' }).click()
  await adding.getByText('Enter a valid address.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await adding.getByLabel('Address').fill(ida)
  await adding.getByLabel('Label').fill('Ida Lovelace')
  await adding.getByRole('button', { name: 'Save' }).click()
  const book = page.getByRole('list', { name: 'Contacts' })
  await book.getByText('Ida Lovelace').waitFor()
  await book.getByText('Not shared with yet').waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

  // Suggested while sharing, by a part of the label.
  await open(`/files/${cid}/access`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const sharing = page.getByRole('dialog', { name: 'Share this file' })
  const field = sharing.getByLabel('Addresses')
  await field.fill(`${bob}, love`)
  await sharing.getByRole('button', { name: 'Ida Lovelace' }).click()
  expect(await field.inputValue()).toBe(`${bob}, Ida Lovelace, `)
  expect(await checkAccessibility()).toEqual([])
  await sharing.getByRole('button', { name: 'Share with 2 people' }).click()
  await finishSharing(page)
  const people = page.getByRole('list', { name: 'People' })
  await people.getByText('Ida Lovelace').waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

  // Recipients of a file are contacts, even without a label; a list adds one.
  await page.getByRole('button', { name: `Label ${bob}` }).click()
  await page.getByRole('dialog').getByLabel('Label').fill('Bob')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await people.getByText('Bob').waitFor()
  await expect
    .poll(async () => (await openDrive(client)).contacts(), { timeout: 60_000 })
    .toMatchObject([{ label: 'Bob', usedAt: expect.any(Number) }, { label: 'Ida Lovelace' }])

  // A transfer accepts a label as well.
  await page.getByRole('button', { name: 'Transfer ownership' }).click()
  const transfer = page.getByRole('dialog', { name: 'Transfer ownership' })
  await transfer.getByRole('button', { name: 'Bob' }).click()
  await transfer.getByLabel(/^Type the last 4 characters/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')

  await open('/shared?by=contacts')
  await page.getByRole('button', { name: 'Remove Bob from contacts' }).click()
  await book.getByText('Bob').waitFor({ state: 'detached' })
  await book.getByText('Ida Lovelace').waitFor()
})

test('shares a selection with others, not with its owner, and reports a typo in an address', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const cids: string[] = []
  for (const name of ['map.txt', 'key.txt']) {
    cids.push((await uploadEncryptedText(client, `Text of ${name}`, { name })).cid)
  }
  await open('/files')
  await signIn()
  for (const name of ['map.txt', 'key.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Share' }).click()
  const sharing = page.getByRole('dialog', { name: 'Share 2 items' })
  const field = sharing.getByLabel('Addresses')
  // Of EIP-55, with another digit.
  await field.fill('0x5aAfb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  await sharing.getByRole('button', { name: /^Share/ }).click()
  await sharing.getByText('0x5aAfb6…1BeAed has a typo').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await field.fill(wallet.accounts[0]?.address ?? '')
  await sharing.getByText('You already have access as the owner.').waitFor()
  await sharing.getByText('Enter at least one address or contact.').waitFor()
  await field.fill(`${wallet.accounts[0]?.address} ${ida} ${bob}`)
  await sharing.getByRole('button', { name: 'Share with 2 people' }).click()
  const panel = page.getByRole('region', { name: 'Transfers' })
  for (const name of ['map.txt', 'key.txt']) await panel.getByText(`Shared ${name} with 2 people`).waitFor()
  for (const cid of cids) expect((await getKeyStatus(client, cid)).agreed?.sharedTo.toSorted()).toEqual([ida, bob])
})
