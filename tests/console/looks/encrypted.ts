// Encrypted files, their access, links and conditions.
import { shareFile, uploadEncryptedText } from '@cairn/sdk'
import { test } from 'vitest'
import { createTestKey } from '../../fixtures.ts'
import { createAccountClient } from '../wallet-client.ts'
import { close, type Looks, longTestMs, signInAt, visit } from './looks.ts'

export function testEncrypted(looks: Looks): void {
  test('encrypted files: locked, opened, shared, transferred, under each kind of condition', {
    timeout: longTestMs,
  }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page } = opened
    const client = await createAccountClient(site.network, opened.wallet.accounts[0])
    const { cid } = await uploadEncryptedText(client, 'a secret', { name: 'secret.txt' })
    await shareFile(client, cid, [`0x${'12'.repeat(20)}`])
    await visit(opened, `/open/${cid}`)
    await look(opened, 'a link to an encrypted file, signed out')
    await signInAt(opened, `/files/${cid}/access`)
    const ask = page.getByRole('main').getByRole('button', { name: 'Show who can open it' })
    const nodes = page.getByRole('heading', { name: 'Key nodes' })
    await ask.or(nodes).first().waitFor()
    if (await ask.isVisible()) {
      await look(opened, 'access, before the key nodes were asked')
      await ask.click()
      await page.getByRole('dialog').or(nodes).first().waitFor()
      if (await page.getByRole('dialog').isVisible()) {
        await look(opened, 'one more signature')
        await page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click()
      }
    }
    await nodes.waitFor()
    await look(opened, 'access of an owner')
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Addresses').fill('0x12')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Share/ })
      .click()
    await look(opened, 'sharing with what is no address')
    await page.getByRole('dialog').getByRole('button', { name: 'Create a link' }).click()
    const linking = page.getByRole('dialog', { name: 'Create a link' })
    await linking.getByLabel('Number of opens').fill('0')
    await page.keyboard.press('Tab')
    await linking.getByText('Enter a whole number').waitFor()
    await look(opened, 'a link that would never open')
    await linking.getByLabel('Number of opens').fill('1')
    await linking.getByLabel('Password (optional)').fill('a password')
    await linking.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog', { name: 'Link ready' }).waitFor()
    await look(opened, 'a new link')
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    await close(opened)
    await page.getByRole('list', { name: 'Links' }).waitFor()
    await look(opened, 'access with a link')
    await visit(opened, link.slice(new URL(link).origin.length))
    await look(opened, 'a link with a password')
    await page.getByLabel('Password').fill('another password')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByText('Wrong password.').waitFor()
    await look(opened, 'a link with a wrong password')
    await page.getByLabel('Password').fill('a password')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByText('a secret').waitFor()
    await look(opened, 'an open link')
    await page.reload()
    await page.getByRole('heading', { name: 'This link has been used up' }).waitFor()
    await look(opened, 'a link that is used up')
    await visit(opened, `/files/${cid}/access`)
    await nodes.waitFor()
    await page.getByRole('button', { name: /^Remove access for/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove access', exact: true }).waitFor()
    await look(opened, 'revoking')
    await close(opened)
    await page.getByRole('button', { name: 'Transfer ownership' }).click()
    await page
      .getByRole('dialog')
      .getByLabel('Address of the new owner')
      .fill(`0x${'ab'.repeat(20)}`)
    await look(opened, 'transferring')
    await close(opened)
    await look(opened, 'templates')
    for (const [family, first, others] of [
      [
        'Ethereum (EVM)',
        'Token (ERC-20)',
        [
          'Collection, any item (ERC-721)',
          'Collection, one item (ERC-721)',
          'Items of a kind (ERC-1155)',
          'Coin balance',
          'Block number',
          'Custom contract call',
        ],
      ],
      ['Solana', 'SOL balance', ['Token (SPL)', 'Block height', 'Time']],
      ['Coreum', 'Token', ['Collection', 'Time']],
    ] as const) {
      await page.getByText(family, { exact: true }).click()
      await page.getByRole('button', { name: first, exact: true }).click()
      for (const kind of others) {
        await page.getByRole('button', { name: 'Add a condition' }).click()
        await page.getByRole('menuitem', { name: kind, exact: true }).click()
      }
      await page.getByText('Advanced').first().click()
      await page.getByText('custom grouping').click()
      await page.getByRole('textbox', { name: 'Grouping' }).fill('(1 and 2) or 99')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/^Fix \d+ problem/).waitFor()
      await look(opened, `each condition of ${family}`)
      await page.getByRole('button', { name: 'Discard changes' }).click()
      await page.getByText('No conditions.').waitFor()
    }
    await page.getByRole('button', { name: 'As JSON' }).click()
    await page.getByRole('dialog', { name: 'As JSON' }).waitFor()
    await look(opened, 'conditions as JSON')
    await close(opened)
    await page.getByRole('link', { name: 'Shared' }).first().click()
    await page.getByRole('heading', { name: 'Shared', level: 1 }).waitFor()
    await look(opened, 'shared with no one')
    await page.getByText('By me', { exact: true }).click()
    await page.getByRole('link', { name: 'secret.txt' }).waitFor()
    await look(opened, 'shared by me')
    await page.getByRole('link', { name: 'secret.txt' }).click()
    await page
      .getByText(/^Back to the (file|folder)$/)
      .or(page.getByRole('dialog'))
      .first()
      .waitFor()
    await look(opened, 'what I share')
    const { apiKey } = await createTestKey(site.network)
    const foreign = await uploadEncryptedText({ ...client, apiKey }, 'not a secret', { name: 'other.txt' })
    await page.evaluate(
      `history.pushState({}, '', '/open/${foreign.cid}'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.getByRole('region', { name: 'other.txt' }).or(page.getByText('not a secret')).first().waitFor()
    await look(opened, 'an encrypted file, opened')
  })
}
