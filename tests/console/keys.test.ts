// API keys from the page: created with one signature, shown once, used by a program, revoked.
import { createClient, getUsage, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { nextSaved } from './next-saved.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('creates, copies, saves and uses an API key, which is rejected once revoked', async () => {
  const opened = await site.newPage()
  const { page, wallet, problems } = opened
  await opened.open('/api-keys')
  await opened.signIn()
  await page.getByText('This session').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])

  const asked = wallet.requests.filter((method) => method === 'personal_sign').length
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('backup server')
  await dialog.getByText('Read only', { exact: true }).click()
  expect(await opened.checkAccessibility()).toEqual([])
  // A double click creates one key: another would never be shown.
  await dialog.getByRole('button', { name: 'Create and sign' }).dblclick()
  await dialog.getByText('Copy your API key now').waitFor()
  expect(wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(asked + 1)
  const apiKey = (await dialog.locator('code').first().textContent()) ?? ''
  // Not on the close button, because the key is shown only once.
  const focused = () => page.evaluate('document.activeElement?.ariaLabel ?? document.activeElement?.textContent')
  await expect.poll(focused).toBe('Copy API key')
  await dialog.getByRole('button', { name: 'Copy API key' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(apiKey)
  const [saved] = await Promise.all([nextSaved(page), dialog.getByRole('button', { name: 'Save as file' }).click()])
  expect(saved.name).toBe('backup server.apikey.txt')
  expect(saved.bytes.toString().trim()).toBe(apiKey)
  await dialog.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await expect.poll(focused).toBe('Create API key')
  // It is nowhere on the page afterwards.
  expect(await page.content()).not.toContain(apiKey)

  const client = createClient({ network: site.network.profile, apiKey })
  expect((await getUsage(client)).usedBytes).toBe(0)
  await expect(uploadText(client, 'no')).rejects.toMatchObject({ code: 'FORBIDDEN' })

  await page.getByRole('button', { name: 'Revoke backup server' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  // While the dialog is open, no role finds the key behind it either.
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Revoke backup server' }).waitFor({ state: 'detached' })
  // The button that opened the dialog is gone: the focus moves to its list, not to the top of the page. In Firefox, the
  // download above took the focus from the window, so the page gets no focus event.
  if (!isFirefox) {
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Your API keys')
  }
  await expect(getUsage(client)).rejects.toMatchObject({ code: 'API_KEY_REVOKED' })
  expect(problems).toEqual([])
})

test('declining in the wallet creates no API key, and can be retried', async () => {
  const opened = await site.newPage({ width: 360, theme: 'dark' })
  const { page, wallet, problems } = opened
  await opened.open('/api-keys')
  await opened.signIn()
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('second try')
  wallet.rejectNext('personal_sign')
  await dialog.getByRole('button', { name: 'Create and sign' }).click()
  await dialog.getByText('Rejected in the wallet').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Create and sign' }).click()
  await dialog.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await page.getByRole('button', { name: 'Revoke second try' }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  expect(await opened.checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('shows and selects what the browser does not copy, over a dialog and over a list', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  const refuse = `() => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))`
  await opened.context.addInitScript(
    `Object.defineProperty(navigator, 'clipboard', { value: { writeText: ${refuse} } })`,
  )
  await opened.open('/api-keys')
  await opened.signIn()
  await page.getByRole('button', { name: 'Create API key' }).click()
  const created = page.getByRole('dialog', { name: /Copy your API key now/ })
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('by hand')
  await page.getByRole('button', { name: 'Create and sign' }).click()
  const apiKey = (await created.locator('code').first().textContent()) ?? ''
  await created.getByRole('button', { name: 'Copy API key' }).click()
  const refused = page.getByRole('dialog', { name: 'Not copied' })
  const selected = () => page.evaluate('getSelection().toString()')
  await expect.poll(selected).toBe(apiKey)
  expect(await opened.checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await refused.waitFor({ state: 'detached' })
  // The key is shown only once: its dialog stays.
  expect(await created.locator('code').first().textContent()).toBe(apiKey)
  await created.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  const { cid } = await uploadText(createClient({ network: site.network.profile, apiKey }), 'a', { name: 'a.txt' })
  await opened.open('/files')
  await page.getByRole('button', { name: 'Actions for a.txt' }).click()
  await page.getByRole('menuitem', { name: 'Copy CID' }).click()
  await expect.poll(selected).toBe(cid)
  await refused.getByRole('button', { name: 'Close' }).last().click()
  await refused.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('revokes an API key whose dialog was closed while the wallet was open, because it was never shown', async () => {
  const opened = await site.newPage()
  const { page, wallet } = opened
  await opened.open('/api-keys')
  await opened.signIn()
  await page.getByText('This session').waitFor()
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('given up')
  const sign = wallet.holdNext('personal_sign')
  await dialog.getByRole('button', { name: 'Create and sign' }).click()
  await expect.poll(() => wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(2)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const revoked = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().includes('/api/auth/'),
  )
  sign()
  expect((await revoked).status()).toBe(200)
  await page.getByText('The dialog was closed before the API key could be shown.').waitFor()
  await page.reload()
  await page.getByText('This session').waitFor()
  expect(await page.getByText('given up').count()).toBe(0)
})
