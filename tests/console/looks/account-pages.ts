// Names, keys, billing, links, activity, proofs and settings.
import { MIB } from '@cairn/protocol'
import {
  createClient,
  createName,
  createUploadLink,
  pay,
  publishName,
  uploadText,
  useFaucet,
  waitForCredit,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { test } from 'vitest'
import { close, type Looks, longTestMs, signInAt, visit } from './looks.ts'

export function testAccountPages(looks: Looks): void {
  test('names, keys, storage, proofs and settings, with their dialogs', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page } = opened
    const apiKey = await signInAt(opened, '/names')
    const [account] = opened.wallet.accounts
    if (account === undefined) throw new Error('the wallet has no account')
    await page.getByText('No names yet').waitFor()
    await look(opened, 'no names')
    const client = createClient({ network: site.network.profile, apiKey })
    const { cid } = await uploadText(client, 'some text', { name: `${'A long name '.repeat(8)}.txt` })
    const { name } = await createName(client, { label: 'a label' })
    await visit(opened, `/names/${name}`)
    await look(opened, 'a name that was never published')
    await publishName(client, name, cid)
    await visit(opened, `/names/${name}`)
    await page.getByText('Verified in your browser', { exact: true }).waitFor()
    await look(opened, 'a published name')
    await visit(opened, '/names')
    for (const item of ['Publish', 'Change label', 'Export name key', 'Remove']) {
      await page.getByRole('button', { name: 'Actions for a label' }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
      await page.getByRole('dialog').getByRole('heading').first().waitFor()
      await look(opened, `${item} of a name`)
      await close(opened)
    }
    await page.getByRole('button', { name: 'Create name' }).click()
    await page.getByRole('dialog').getByLabel('Label').waitFor()
    await look(opened, 'a new name')

    await visit(opened, '/api-keys')
    await look(opened, 'api-keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('backup')
    await look(opened, 'a new key')
    await page.getByRole('dialog').getByRole('button', { name: 'Create and sign' }).click()
    await page.getByRole('button', { name: 'Done, I’ve saved it' }).waitFor()
    await look(opened, 'a key shown once')
    await page.getByRole('button', { name: 'Done, I’ve saved it' }).click()
    await page.getByRole('button', { name: 'Revoke backup' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).waitFor()
    await look(opened, 'revoking a key')

    await visit(opened, '/billing')
    await look(opened, 'billing')
    await page.getByText('Other', { exact: true }).click()
    await page.getByLabel('Amount').fill('lots')
    await page.keyboard.press('Tab')
    await page.getByText('Enter a size above 0').waitFor()
    await look(opened, 'a size that is none')
    await page.getByLabel('Amount').fill('5')
    await page.getByText('DAI', { exact: true }).click()
    await page.getByRole('button', { name: 'Review payment' }).click()
    await page.getByText('Not enough DAI in this wallet.').waitFor({ timeout: 60_000 })
    await look(opened, 'a payment without the money')

    await visit(opened, '/links')
    await look(opened, 'no links')
    await createUploadLink(client, { label: 'photos of the walk' })
    await visit(opened, '/links')
    await page.getByRole('list', { name: 'Upload links' }).getByText('photos of the walk').first().waitFor()
    await look(opened, 'an upload link')
    await page.getByRole('button', { name: 'New upload link' }).first().click()
    await page.getByRole('dialog').getByRole('heading').first().waitFor()
    await look(opened, 'a new upload link')
    await close(opened)

    const payer = generatePrivateKey()
    await useFaucet(client, privateKeyToAccount(payer).address)
    const paid = await pay(
      client,
      { privateKey: payer },
      { sizeBytes: MIB, coin: 'native', beneficiary: account.address },
    )
    const [payment] = await waitForCredit(client, paid.network, paid.txHash)
    await visit(opened, `/billing/receipts/${payment?.id}`)
    await page.getByText(paid.txHash).waitFor()
    await look(opened, 'a receipt')
    await visit(opened, '/billing/receipts/none')
    await look(opened, 'a receipt of no payment')
    await visit(opened, '/activity')
    await page
      .getByRole('list', { name: 'Activity' })
      .getByRole('listitem')
      .filter({ hasText: /^Payment/ })
      .getByRole('link', { name: 'Receipt' })
      .first()
      .waitFor()
    await look(opened, 'activity')
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await page.locator('[role=dialog],[role=menu]').waitFor()
    await look(opened, 'notifications')
    await close(opened)

    for (const path of ['/proofs', `/proofs/${cid}`, '/settings', '/status']) {
      await visit(opened, path)
      await look(opened, path)
    }
    await visit(opened, '/settings')
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await look(opened, 'clearing the device')
  })
}
