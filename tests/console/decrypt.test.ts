// Decryption in the console's worker: changed files do not open, and large files are saved as a stream.
import { randomBytes } from 'node:crypto'
import { encryptBytesV1 } from '@cairn/crypto'
import {
  type Client,
  createLink,
  prepareKey,
  saveKey,
  shareFile,
  uploadBytes,
  uploadEncryptedBytes,
  uploadEncryptedText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRemoved, readStored, saveIntoStorage } from './browser-storage.ts'
import { isCipher, openSignedIn, stateLarge, unlock } from './cipher-page.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { dropKeySession } from './drop-key-session.ts'
import { nextSaved } from './next-saved.ts'
import { createAccountClient } from './wallet-client.ts'

const patient = { timeout: 60_000 }
const mebibyte = 1024 * 1024

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Stores bytes as an encrypted file whose key on the key nodes is its own or another. */
async function storeSealed(client: Client, sealed: Uint8Array, name: string, key = prepareKey()): Promise<string> {
  const { cid } = await uploadBytes(client, sealed, { name })
  await saveKey(client, cid, key)
  const db = site.network.storage.context.db
  await db.write(async (trx) => {
    await trx.updateTable('upload').set({ encryption: 1 }).where('cid', '=', cid).execute()
  })
  return cid
}

test('shows nothing of a file whose bytes were changed', async () => {
  const { page, problems, client, open } = await openSignedIn(site, 'v1')
  const key = prepareKey()
  const sealed = await encryptBytesV1(new TextEncoder().encode('The treasure lies under the oak'), key.masterKey)
  // A different first letter: everything but the tag still matches.
  sealed[28] = (sealed[28] ?? 0) ^ 1
  const cid = await storeSealed(client, sealed, 'map.txt', key)
  await open(`/files/${cid}`)
  const drawer = page.getByRole('dialog', { name: 'map.txt' })
  await unlock(drawer.getByRole('button', { name: 'Decrypt and show' }), drawer.getByText(/DECRYPTION_FAILED/))
  expect(await page.getByText('lies under the oak').count()).toBe(0)
  expect(problems).toEqual([])
})

test('plays nothing of a recording with the key of another file', async () => {
  const { page, problems, client, open } = await openSignedIn(site, 'v1')
  const wave = Buffer.alloc(9 * mebibyte)
  wave.write('RIFF\0\0\x90\0WAVEfmt ', 'latin1')
  // A fixed key, salt and IV, because some random ones decrypt to what looks like a recording.
  const seed = { salt: new Uint8Array(16).fill(1), iv: new Uint8Array(12).fill(2) }
  const sealed = await encryptBytesV1(wave, '11'.repeat(32), seed)
  const cid = await storeSealed(client, sealed, 'song.wav', prepareKey('22'.repeat(32)))
  await open(`/files/${cid}`)
  const drawer = page.getByRole('dialog', { name: 'song.wav' })
  await unlock(drawer.getByRole('button', { name: 'Decrypt and show' }), drawer.getByText(/DECRYPTION_FAILED/))
  expect(await page.locator('audio').count()).toBe(0)
  expect(problems).toEqual([])
})

test('saves a large file as a stream without showing it, for its owner and a recipient, but not a changed one', async () => {
  const owner = await openSignedIn(site, 'v2')
  const recipient = await site.newPage()
  const plain = randomBytes(3 * mebibyte + 5)
  const { cid } = await uploadEncryptedBytes(owner.client, plain, { name: 'film.bin' })
  await shareFile(owner.client, cid, [recipient.wallet.accounts[0]?.address ?? ''])
  const key = prepareKey()
  const sealed = await encryptBytesV1(plain, key.masterKey)
  sealed[28] = (sealed[28] ?? 0) ^ 1
  const changed = await storeSealed(owner.client, sealed, 'changed.bin', key)
  for (const one of [cid, changed]) await stateLarge(site, one)

  const { page, context, open, checkAccessibility, problems } = owner
  await context.addInitScript(saveIntoStorage)
  await open(`/files/${cid}`)
  const drawer = page.getByRole('dialog', { name: 'film.bin' })
  const locked = drawer.getByText('This file is encrypted')
  await locked.waitFor(patient)
  await drawer.getByText('Saving decrypts it straight into a file that you choose.', { exact: true }).waitFor()
  // The console has no preview of it.
  expect(await drawer.getByRole('button', { name: 'Decrypt and show' }).count()).toBe(0)
  expect(await drawer.getByText('cairn get').count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>()
  const blocks = new RegExp(`/ipfs/${cid}`)
  await context.route(blocks, async (route) => {
    await isHeld
    await route.continue().catch(() => undefined)
  })
  const save = drawer.getByRole('button', { name: 'Save decrypted file' })
  await save.click()
  await drawer.getByRole('progressbar').waitFor()
  await expect.poll(() => page.workers().filter(isCipher).length, patient).toBe(1)
  expect(await checkAccessibility()).toEqual([])
  await drawer.getByRole('button', { name: 'Stop' }).click()
  await save.waitFor()
  await expect.poll(() => page.workers().filter(isCipher).length, patient).toBe(0)
  await expectRemoved(page, 'film.bin')
  expect(await drawer.getByRole('alert').count()).toBe(0)
  release()
  await context.unroute(blocks)
  await save.click()
  await drawer.getByRole('status').getByText('Saved', { exact: true }).waitFor(patient)
  expect(await checkAccessibility()).toEqual([])
  expect((await readStored(page, 'film.bin')).equals(plain)).toBe(true)

  await open(`/files/${changed}`)
  const bad = page.getByRole('dialog', { name: 'changed.bin' })
  await bad.getByRole('button', { name: 'Save decrypted file' }).click()
  const alert = bad.getByRole('alert').filter({ hasText: 'The file was not saved' })
  await alert.getByText(/DECRYPTION_FAILED/).waitFor(patient)
  expect(await checkAccessibility()).toEqual([])
  expect(await bad.getByText('Saved', { exact: true }).count()).toBe(0)
  await expectRemoved(page, 'changed.bin')
  expect(problems).toEqual([])

  // A browser that cannot write to a file chosen by the user: the page says what helps, and saves it anyway.
  await recipient.context.addInitScript('window.showSaveFilePicker = undefined')
  await recipient.open(`/open/${cid}`)
  await recipient.page.getByText('This file is encrypted').waitFor()
  await recipient.page.getByText('Sign in with the wallet it is shared with.').waitFor()
  await recipient.page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await recipient.page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await recipient.page
    .getByText(/^Saving it takes 600\sMiB in this browser first\. .* use Chrome, Edge or another Chromium browser/)
    .waitFor(patient)
  expect(await recipient.checkAccessibility()).toEqual([])
  const saving = nextSaved(recipient.page)
  await recipient.page.getByRole('button', { name: 'Save decrypted file' }).click()
  const saved = await saving
  expect(saved.name).toBe('film.bin')
  expect(saved.bytes.equals(plain)).toBe(true)
  expect(recipient.problems).toEqual([])
})

test('the buttons of a large file are visible on the smallest phone, and on the page of a link', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage({
    width: 320,
    height: 568,
    isPhone: true,
  })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Long ago', { name: 'story.txt' })
  const { url } = await createLink(client, cid, { name: 'story.txt' })
  await stateLarge(site, cid)
  await page.context().addInitScript(saveIntoStorage)
  await open(`/open/${cid}`)
  await signIn()
  const takes =
    'Saving decrypts it straight into a file that you choose. Showing it here takes 600 MiB in this browser.'
  await page.getByText(takes).waitFor(patient)
  const barTop = (await page.getByRole('navigation').boundingBox())?.y ?? 0
  expect(barTop).toBeGreaterThan(0)
  for (const name of ['Save decrypted file', 'Decrypt and show']) {
    const { y = 0, height = 0 } = (await page.getByRole('button', { name }).boundingBox()) ?? {}
    expect.soft([name, y + height < barTop]).toEqual([name, true])
  }
  expect(await checkAccessibility()).toEqual([])

  await open(url.slice(new URL(url).origin.length))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText(takes).waitFor(patient)
  await page.getByRole('button', { name: 'Show it here' }).click()
  await page.getByText('Long ago').waitFor(patient)
})

test('declining the signature while a large file is saved leaves no file, and a retry saves it', async () => {
  const { page, context, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const plain = randomBytes(mebibyte + 3)
  const { cid } = await uploadEncryptedBytes(client, plain, { name: 'film.bin' })
  await stateLarge(site, cid)
  await context.addInitScript(saveIntoStorage)
  await open(`/open/${cid}`)
  await signIn()
  await dropKeySession(page)
  await page.reload()
  const save = page.getByRole('button', { name: 'Save decrypted file' })
  const signature = page.getByRole('dialog', { name: 'One more signature' })
  await save.click()
  await signature.waitFor(patient)
  wallet.rejectNext('personal_sign')
  await signature.getByRole('button', { name: 'Sign' }).click()
  await signature.getByRole('alert').getByText('Rejected in the wallet').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await signature.getByRole('button', { name: 'Cancel' }).click()
  await save.waitFor()
  await expectRemoved(page, 'film.bin')

  await save.click()
  wallet.rejectNext('personal_sign')
  await signature.getByRole('button', { name: 'Sign' }).click()
  await signature.getByRole('alert').waitFor()
  await signature.getByRole('button', { name: 'Sign' }).click()
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor(patient)
  expect((await readStored(page, 'film.bin')).equals(plain)).toBe(true)
})
