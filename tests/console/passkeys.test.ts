// Passkeys instead of a wallet: a virtual authenticator of Chromium stores them, with the extension that derives a key.
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freeOffset } from '../free-offset.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'

let site: ConsoleTest
beforeAll(async () => {
  // A passkey belongs to a host name, never to an IP address, so the URL is known before the service listens.
  const port = 8080 + (await freeOffset())
  const address = { CAIRN_PORT: String(port), CAIRN_PUBLIC_API_URL: `http://localhost:${port}` }
  site = await openConsoleTest({ chain: 'local', environment: { ...address, CAIRN_PASSKEY_DOMAIN: 'localhost' } })
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Gives a page an authenticator that approves every request. */
async function addAuthenticator(page: Page, hasPrf = true) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      hasPrf,
    },
  })
  return {
    count: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    setApproval: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

const account = /^Account (0x\w{40})$/

async function readAccount(page: Page): Promise<string> {
  const button = page.getByRole('button', { name: account })
  await button.waitFor()
  return (await button.getAttribute('aria-label')) ?? ''
}

async function openPasskeys(page: Page) {
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Passkey' }).click()
  await dialog.getByRole('heading', { name: 'Sign in with a passkey' }).waitFor()
  return dialog
}

test('a user without a wallet creates a passkey, and gets the same account on the next visit', async () => {
  const { page, open, checkAccessibility } = await site.newPage({ accounts: 0 })
  const passkeys = await addAuthenticator(page)
  await open('/files')
  const dialog = await openPasskeys(page)
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Create a passkey' }).click()
  const first = await readAccount(page)
  expect(await passkeys.count()).toBe(1)

  await page.reload()
  expect(await readAccount(page)).toBe(first)
  const kept = await page.evaluate(
    'JSON.stringify(Object.entries(localStorage).concat(Object.entries(sessionStorage)))',
  )
  expect(String(kept)).toContain('cairn.wallet.passkey')

  // It signs no payments, and the page says so instead of showing a form that ends in an error.
  await open('/billing')
  await page.getByRole('heading', { name: 'A passkey cannot pay' }).waitFor()
  expect(await page.getByRole('button', { name: 'Review payment' }).count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])
  await open('/files')

  await page.getByRole('button', { name: account }).click()
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  const again = await openPasskeys(page)
  await again.getByRole('button', { name: 'Use my passkey' }).click()
  expect(await readAccount(page)).toBe(first)
  expect(await passkeys.count()).toBe(1)
})

test('distinguishes a declined passkey from one that derives no key', async () => {
  const { page, open } = await site.newPage({ accounts: 0 })
  const passkeys = await addAuthenticator(page)
  await open('/files')
  await passkeys.setApproval(false)
  const dialog = await openPasskeys(page)
  await dialog.getByRole('button', { name: 'Create a passkey' }).click()
  await dialog.getByRole('alert').getByText('You did not confirm your passkey. Nothing was shared.').waitFor()

  const other = await site.newPage({ accounts: 0 })
  await addAuthenticator(other.page, false)
  await other.open('/files')
  const without = await openPasskeys(other.page)
  await without.getByRole('button', { name: 'Create a passkey' }).click()
  await without.getByText('This passkey cannot derive a key').waitFor()
})
