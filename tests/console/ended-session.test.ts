// Uploads whose session ends, or whose page closes as they start: each stays visible, and nothing is sent twice.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, decryptBytes, listFiles, revokeApiKey } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { loseKeySessions } from './lose-key-sessions.ts'
import { startUpload } from './start-upload.ts'
import { expectStored, type Line, openUploadPage, panelOf, rowOf, start } from './upload-line.ts'
import { createAccountClient } from './wallet-client.ts'

const MiB = 1024 * 1024
let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-ended-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function writeRandom(name: string, sizeBytes: number): Promise<{ path: string; bytes: Buffer }> {
  const path = join(folder, name)
  const bytes = randomBytes(sizeBytes)
  await writeFile(path, bytes)
  return { path, bytes }
}

/** Whether the service has all bytes of the first upload. */
async function hasArrived({ openUploads }: Line): Promise<boolean> {
  const [upload] = await openUploads()
  return upload !== undefined && upload.offsetBytes === upload.lengthBytes
}

async function apiKeyOf(page: Page): Promise<string> {
  const { apiKey }: { apiKey: string } = JSON.parse(await page.evaluate("sessionStorage.getItem('cairn.session')"))
  return apiKey
}

/** Makes the session expire, as another tab discovers first. */
async function expire(page: Page): Promise<void> {
  const message = { kind: 'ended', apiKey: await apiKeyOf(page), reason: 'expired' }
  await page.evaluate((data) => new BroadcastChannel('cairn.session').postMessage(data), message)
  await page.getByText('Your session has expired').waitFor()
}

async function signInAgain(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
}

test('uploads whose session expires stay listed, say why they wait, and resume after the next sign-in', {
  timeout: 240_000,
}, async () => {
  const { page, line, checkAccessibility } = await openUploadPage(site)
  const { path, bytes } = await writeRandom('film.bin', 24 * MiB)
  const queued = ['b.bin', 'c.bin']
  for (const name of queued) await writeRandom(name, 24 * MiB)
  await line.slow(4 * MiB)
  await start(page, [path, ...queued.map((name) => join(folder, name))])
  await expect.poll(async () => (await line.openUploads()).length).toBe(2)
  for (const at of [0, 1]) {
    await expect.poll(async () => (await line.openUploads())[at]?.offsetBytes).toBeGreaterThan(0)
  }
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  await expire(page)
  await rowOf(page, 'film.bin').getByText('Paused, because your session ended.').waitFor()
  await panelOf(page).getByRole('heading').getByText('3 paused').waitFor()
  expect(await checkAccessibility()).toEqual([])
  const requests = line.offsets.length
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  await page.getByRole('button', { name: 'Show transfers' }).click()
  await rowOf(page, 'film.bin').getByText('Paused, because your session ended.').waitFor()
  expect(line.offsets).toHaveLength(requests)
  await line.slow(-1)
  await signInAgain(page)
  await expectStored(site, page, 'film.bin', bytes)
  await panelOf(page).getByRole('heading').getByText('3 done').waitFor({ timeout: 60_000 })
  // Only the upload that had not started is sent from the beginning.
  expect(line.offsets.slice(requests).filter((offset) => offset === 0)).toHaveLength(1)
  for (const name of ['film.bin', ...queued])
    expect(await page.getByRole('row').filter({ hasText: name }).count()).toBe(1)
})

test('another account sees nothing left by an ended session', { timeout: 240_000 }, async () => {
  const { page, wallet, line } = await openUploadPage(site, { accounts: 2 })
  const { path } = await writeRandom('private.bin', 24 * MiB)
  await line.slow(4 * MiB)
  await start(page, path)
  await line.untilStored(MiB)
  await expire(page)
  await rowOf(page, 'private.bin').getByText('Paused, because your session ended.').waitFor()
  await wallet.choose(1)
  await signInAgain(page)
  await page.getByText('Nothing here yet').waitFor()
  await expect.poll(() => panelOf(page).getByText('private.bin').count()).toBe(0)
  await page.reload()
  await page.getByText('Nothing here yet').waitFor()
  expect(await page.getByText('private.bin').count()).toBe(0)
})

test('an upload whose API key is revoked after its last byte is not reported as lost, and completes', {
  timeout: 240_000,
}, async () => {
  const { page, line } = await openUploadPage(site)
  const { path, bytes } = await writeRandom('arrived.bin', 12 * MiB)
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const isStatus = (url: URL) => /\/api\/uploads\/[^/]+$/.test(url.pathname)
  await page.route(isStatus, async (route) => {
    // A page whose request was cut checks before all of it has arrived.
    if (route.request().method() === 'GET' && (await hasArrived(line))) {
      asked.resolve()
      await held.promise
    }
    await route.continue()
  })
  await start(page, path)
  // The page knows by then that all of it has arrived.
  await asked.promise
  const apiKey = await apiKeyOf(page)
  const keyId = /^cairn_([0-9a-z]+)_/.exec(apiKey)?.[1] ?? ''
  await revokeApiKey(createClient({ network: site.network.profile, apiKey }), keyId)
  held.resolve()
  await page.getByText('The API key of your session was revoked.').waitFor()
  await rowOf(page, 'arrived.bin').getByText('All of it was sent, but your session ended').waitFor()
  expect(await page.getByText('was not stored').count()).toBe(0)
  await page.unroute(isStatus)
  await signInAgain(page)
  await expectStored(site, page, 'arrived.bin', bytes)
  await rowOf(page, 'arrived.bin').getByText('Stored', { exact: true }).waitFor()
  expect(line.offsets).toEqual([0])
})

test('an upload continues while its session is extended', { timeout: 240_000 }, async () => {
  const { page, line } = await openUploadPage(site)
  const { path, bytes } = await writeRandom('long.bin', 24 * MiB)
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const soon = JSON.stringify({ ...JSON.parse(kept), expiresAt: Date.now() + 5 * 60_000 })
  await page.evaluate((text) => sessionStorage.setItem('cairn.session', text), soon)
  await page.reload()
  await page.getByText('Nothing here yet').waitFor()
  const before = await apiKeyOf(page)
  await line.slow(8 * MiB)
  await start(page, path)
  await line.untilStored(MiB)
  const revoked = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().includes('/api/auth/'),
  )
  await page.getByRole('button', { name: 'Extend' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click()
  await revoked
  expect(await apiKeyOf(page)).not.toBe(before)
  await expectStored(site, page, 'long.bin', bytes)
  await rowOf(page, 'long.bin').getByText('Stored', { exact: true }).waitFor()
})

test('an encrypted upload whose key node session is lost says so, and asks for a signature to continue', {
  timeout: 240_000,
}, async () => {
  const { page, wallet } = await openUploadPage(site)
  const { path, bytes } = await writeRandom('secret.bin', 9 * MiB)
  const held = Promise.withResolvers<void>()
  const calls = '**/api/setSharedKey/**'
  await page.route(calls, async (route) => {
    await held.promise
    await route.continue()
  })
  const saving = page.waitForRequest((request) => request.url().includes('/api/setSharedKey/'))
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', path)
  await startUpload(page, 'encrypted')
  await saving
  loseKeySessions(site.network, wallet.accounts[0]?.address ?? '', 1, 2, 3, 4, 5)
  held.resolve()
  const row = rowOf(page, 'secret.bin')
  await row.getByText('the key was not saved and nothing was uploaded').waitFor({ timeout: 60_000 })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  expect(await Array.fromAsync(listFiles(client))).toEqual([])
  // A user who declines can press it again.
  const dialog = page.getByRole('dialog')
  const retry = page.getByRole('button', { name: 'Retry secret.bin' })
  await retry.click()
  await dialog.getByRole('button', { name: 'Sign' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await retry.click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await row.getByText('Stored', { exact: true }).waitFor({ timeout: 60_000 })
  const [file] = await Array.fromAsync(listFiles(client))
  expect(Buffer.from(await decryptBytes(client, file?.cid ?? '')).equals(bytes)).toBe(true)
})

test('a page that closes as its uploads start has them when it reopens', { timeout: 240_000 }, async () => {
  const { page, line } = await openUploadPage(site)
  const { path, bytes } = await writeRandom('begun.bin', 12 * MiB)
  await line.slow(8 * MiB)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', path)
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.getByText('Public', { exact: true }).click()
  // In one step, so that nothing happens in the browser between the click and the reload.
  await sheet.getByRole('button', { name: /^Upload .+ publicly$/ }).evaluate(async (button: HTMLElement) => {
    button.click()
    await new Promise((resolve) => setTimeout(resolve))
    location.reload()
  })
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
  const row = rowOf(page, 'begun.bin')
  await row.waitFor()
  const again = row.getByRole('button', { name: 'Choose begun.bin again' })
  const stored = row.getByText('Stored', { exact: true })
  await again.or(stored).waitFor({ timeout: 60_000 })
  if (await again.isVisible()) await page.setInputFiles('input[data-resume="begun.bin"]', path)
  await expectStored(site, page, 'begun.bin', bytes)
  expect(line.offsets.filter((offset) => offset === 0)).toHaveLength(1)
  expect(await page.getByRole('row').filter({ hasText: 'begun.bin' }).count()).toBe(1)
  await page.reload()
  await page.getByRole('link', { name: 'begun.bin' }).waitFor()
  expect(await panelOf(page).count()).toBe(0)
})

test('a page that closes while the first bytes are sent resumes the same upload', {
  timeout: 240_000,
}, async () => {
  const { page, line } = await openUploadPage(site)
  const { path, bytes } = await writeRandom('first.bin', 12 * MiB)
  await line.slow(4 * MiB)
  const first = page.waitForRequest((request) => request.method() === 'PATCH')
  await start(page, path)
  await first
  await page.reload()
  const row = rowOf(page, 'first.bin')
  await row.waitFor()
  await line.slow(-1)
  const again = row.getByRole('button', { name: 'Choose first.bin again' })
  const stored = row.getByText('Stored', { exact: true })
  await again.or(stored).waitFor({ timeout: 60_000 })
  if (await again.isVisible()) await page.setInputFiles('input[data-resume="first.bin"]', path)
  await expectStored(site, page, 'first.bin', bytes)
  expect(await line.openUploads()).toHaveLength(1)
})
