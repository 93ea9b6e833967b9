// Encryption in the console's worker: its output opens elsewhere, and a worker that stops says why.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, open as openPath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { maxThumbnailBytes, partTypes } from '@cairn/protocol'
import {
  decryptBytes,
  downloadBytes,
  findThumbnails,
  getKey,
  listDirectory,
  listFiles,
  openEncryptedFolder,
  uploadEncryptedFolder,
  uploadEncryptedText,
} from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { isCipher, openSignedIn, stateLarge, unlock } from './cipher-page.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { readZip } from './read-zip.ts'
import { createAccountClient } from './wallet-client.ts'

const patient = { timeout: 60_000 }
const mebibyte = 1024 * 1024
const published: { decryptFile(bytes: Uint8Array, key: string): Promise<ArrayBuffer> } = createRequire(import.meta.url)(
  '@lighthouse-web3/sdk/dist/Lighthouse/uploadEncrypted/encryptionNode.js',
)

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function startEncrypted(page: Page, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) {
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.locator('input[type=file]').first().setInputFiles(files)
  await sheet.getByText('Encrypted', { exact: true }).click()
  await sheet.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('region', { name: 'Transfers' }).waitFor(patient)
}

test('encrypts a file in a worker that ends with it, and the published SDK opens it', async () => {
  const { page, problems, workers, client } = await openSignedIn(site, 'v1')
  const plain = randomBytes(3 * mebibyte + 11)
  await startEncrypted(page, [{ name: 'film.bin', mimeType: 'application/octet-stream', buffer: plain }])
  await page.getByRole('row').filter({ hasText: 'film.bin' }).waitFor(patient)
  expect(workers.filter(isCipher)).toHaveLength(1)
  await expect.poll(() => page.workers().filter(isCipher).length, patient).toBe(0)
  const [row] = await Array.fromAsync(listFiles(client))
  const cid = row?.cid ?? ''
  const { masterKey } = await getKey(client, cid)
  const stored = await downloadBytes(client, cid)
  expect(stored.length).toBe(plain.length + 44)
  expect(Buffer.from(await published.decryptFile(stored, masterKey)).equals(plain)).toBe(true)
  expect(problems).toEqual([])
})

test('the SDK opens files of the second format, including an empty one', async () => {
  const { page, problems, client } = await openSignedIn(site, 'v2')
  const plain = randomBytes(2 * mebibyte)
  await startEncrypted(page, [
    { name: 'film.bin', mimeType: 'application/octet-stream', buffer: plain },
    { name: 'empty.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(0) },
  ])
  await expect.poll(async () => (await Array.fromAsync(listFiles(client))).length, patient).toBe(2)
  for (const { cid, fileName } of await Array.fromAsync(listFiles(client))) {
    const stored = await downloadBytes(client, cid)
    expect([...stored.subarray(1, 6)], fileName).toEqual([...Buffer.from('CAIRN')])
    const expected = fileName === 'film.bin' ? plain : Buffer.alloc(0)
    expect(Buffer.from(await decryptBytes(client, cid)).equals(expected), fileName).toBe(true)
  }
  // The list shows the size of the content, as far as it is known: 164 bytes are stored for the empty file.
  const empty = page.getByRole('row').filter({ hasText: 'empty.bin' })
  await empty.getByText('<\u00a01\u00a0KiB', { exact: true }).waitFor()
  await page.getByRole('row').filter({ hasText: 'film.bin' }).getByText('2\u00a0MiB', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('an encrypted picture has a thumbnail that the service cannot read, also after a reload', async () => {
  const { page, problems, client, open, checkAccessibility } = await openSignedIn(site, 'v1')
  // Noise does not compress, so the picture is larger than a thumbnail may be.
  const picture: string = await page.evaluate(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 700, height: 400 })
    const context = canvas.getContext('2d')
    context.fillStyle = '#d02020'
    context.fillRect(0, 0, 700, 400)
    const noise = context.createImageData(700, 40)
    let seed = 1
    for (let at = 0; at < noise.data.length; at++) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      noise.data[at] = at % 4 === 3 ? 255 : (seed >>> 16) & 255
    }
    context.putImageData(noise, 0, 360)
    return canvas.toDataURL('image/png')
  })()`)
  const buffer = Buffer.from(picture.slice(picture.indexOf(',') + 1), 'base64')
  expect(buffer.length).toBeGreaterThan(maxThumbnailBytes)
  await startEncrypted(page, [{ name: 'stone.png', mimeType: 'image/png', buffer }])
  await page.getByRole('row').filter({ hasText: 'stone.png' }).waitFor(patient)
  const [row] = await Array.fromAsync(listFiles(client))
  const cid = row?.cid ?? ''
  await expect.poll(async () => (await findThumbnails(client, [cid])).size, patient).toBe(1)
  await open('/files?view=grid')
  const drawn = page.getByRole('gridcell').locator('img')
  await expect.poll(() => drawn.evaluate((image) => Reflect.get(image, 'naturalWidth')), patient).toBe(360)
  expect(await drawn.getAttribute('src')).toMatch(/^blob:/)
  expect(await checkAccessibility()).toEqual([])
  const stored = await site.network.storage.context.db.read
    .selectFrom('thumbnail')
    .selectAll()
    .executeTakeFirstOrThrow()
  expect(stored.data.length).toBeLessThanOrEqual(maxThumbnailBytes)
  // The service has bytes that are not a picture; the key opens one.
  expect(Buffer.from(stored.data).includes('WEBP')).toBe(false)
  const { masterKey } = await getKey(client, cid)
  const opened = await (await findThumbnails(client, [cid])).get(cid)?.open(masterKey)
  expect(
    Buffer.from(opened ?? [])
      .subarray(8, 12)
      .toString(),
  ).toBe('WEBP')
  expect(problems).toEqual([])
})

test('cancelling an encryption stops its worker and stores nothing, and a file changed since is reported', async () => {
  const path = join(tmpdir(), `cairn-large-${process.pid}.bin`)
  const file = await openPath(path, 'wx')
  try {
    // A sparse file: it uses no space here, and takes a while to encrypt there.
    await file.truncate(160 * mebibyte)
    const { page, problems, client, workers } = await openSignedIn(site, 'v1')
    await startEncrypted(page, path)
    const panel = page.getByRole('region', { name: 'Transfers' })
    await panel.getByText(/Encrypting/).waitFor(patient)
    await expect.poll(() => page.workers().filter(isCipher).length, patient).toBe(1)
    await panel.getByRole('button', { name: /^Cancel/ }).click()
    await panel.getByText(/Cancelled/).waitFor(patient)
    await expect.poll(() => page.workers().filter(isCipher).length, patient).toBe(0)
    expect(await Array.fromAsync(listFiles(client))).toEqual([])
    await file.truncate(mebibyte)
    await panel.getByRole('button', { name: /^Retry cairn-large/ }).click()
    // The browser gave the page the file as it was when chosen.
    await panel.getByText(/Cannot read/).waitFor(patient)
    expect(workers.filter(isCipher)).toHaveLength(2)
    expect(problems).toEqual([])
  } finally {
    await file.close()
    await rm(path)
  }
})

test('uploads a folder as one with hidden names, and its reader can browse it', async () => {
  const top = await mkdtemp(join(tmpdir(), 'cairn-trip-'))
  try {
    await mkdir(join(top, 'day one'))
    await writeFile(join(top, 'plan.txt'), 'Up the hill')
    await writeFile(join(top, 'day one', 'notes.txt'), 'Stones and wind')
    // Large enough to be sent in parts.
    const film = randomBytes(9 * mebibyte)
    await writeFile(join(top, 'film.bin'), film)
    const { page, problems, client, open, checkAccessibility } = await openSignedIn(site, 'v1')
    if (isFirefox) {
      // WebDriver BiDi cannot choose a folder.
      await uploadEncryptedFolder(client, top, { asOne: true })
    } else {
      await page.getByRole('button', { name: 'Upload' }).first().click()
      const sheet = page.getByRole('dialog', { name: 'Upload' })
      await sheet.getByText('Encrypted', { exact: true }).click()
      await sheet.locator('input[data-upload=folder]').setInputFiles(top)
      await sheet.getByText(/The folder has one file key/).waitFor(patient)
      await sheet.getByText('Empty folders are included only if you drop the folder.').waitFor()
      await sheet.getByText('As separate files').click()
      await sheet.getByText(/its own CID and file key/).waitFor()
      await sheet.getByText('As one folder').click()
      await sheet.getByRole('button', { name: 'Upload' }).click()
      await page.getByRole('region', { name: 'Transfers' }).waitFor(patient)
    }
    await expect.poll(async () => (await Array.fromAsync(listFiles(client))).length, patient).toBe(1)
    const [row] = await Array.fromAsync(listFiles(client))
    const cid = row?.cid ?? ''
    expect(row).toMatchObject({ fileName: basename(top), encryption: true })
    const names = (await Array.fromAsync(listDirectory(client, cid))).map(({ name }) => name)
    expect(names.sort()).toEqual(['0', '1', '2', 'index'])
    const { masterKey, files } = await openEncryptedFolder(client, cid)
    const stored = files.find(({ path }) => path === 'film.bin')
    expect(Buffer.from(await decryptBytes(client, stored?.cidPath ?? '', { masterKey })).equals(film)).toBe(true)

    await open(`/files/${cid}`)
    const drawer = page.getByRole('dialog', { name: basename(top) })
    const openFolder = drawer.getByRole('button', { name: 'Open the folder' })
    const dayOne = drawer.getByRole('link', { name: /^day one/ })
    await unlock(openFolder, dayOne)
    expect(await checkAccessibility()).toEqual([])
    await dayOne.click()
    await page.getByRole('link', { name: /^notes\.txt/ }).click()
    await page.getByText('Stones and wind').waitFor(patient)
    expect(new URL(page.url()).pathname).toBe(`/files/${cid}/day%20one/notes.txt`)
    await page.reload()
    const again = page.getByRole('button', { name: 'Open the folder' })
    await unlock(again, page.getByText('Stones and wind'))
    await open(`/files/${cid}/nothing.txt`)
    await unlock(again, page.getByText('File not found in this folder'))
    expect(problems).toEqual([])
  } finally {
    await rm(top, { recursive: true, force: true })
  }
})

test('shows a folder encrypted as one with the size of its files in lists, selections and details', async () => {
  const { page, client, open } = await openSignedIn(site, 'v2')
  // Stored, they are a fifth larger.
  const files = Array.from({ length: 40 }, (_file, i) => ({ path: `${i}.txt`, content: randomBytes(1024) }))
  const [folder] = await uploadEncryptedFolder(client, files, { name: 'letters', asOne: true })
  const row = page.getByRole('row').filter({ hasText: 'letters' })
  await open('/files')
  await row.getByText('40\u00a0KiB', { exact: true }).waitFor(patient)
  await row.getByRole('checkbox').check()
  await page.locator('[data-bulk-bar]').getByText('40\u00a0KiB', { exact: true }).waitFor()
  await open(`/files/${folder?.cid ?? ''}?tab=details`)
  await page.getByRole('definition').getByText('40\u00a0KiB', { exact: true }).waitFor(patient)
})

test('saves an encrypted folder of empty folders as a ZIP, and offers no ZIP of an empty one', async () => {
  const { page, context, client, open, checkAccessibility } = await openSignedIn(site, 'v2')
  const empty = (path: string) => ({ path, content: new Blob([], { type: partTypes.emptyFolder }) })
  const [folder] = await uploadEncryptedFolder(client, [empty('in/deep'), empty('later')], {
    name: 'plans',
    asOne: true,
  })
  await context.addInitScript(saveIntoStorage)
  await open(`/files/${folder?.cid}`)
  const drawer = page.getByRole('dialog', { name: 'plans' })
  await unlock(drawer.getByRole('button', { name: 'Open the folder' }), drawer.getByRole('link', { name: /^in/ }))
  await drawer.getByRole('button', { name: 'Download as a ZIP' }).click()
  const zipping = page.getByRole('dialog', { name: 'Download as a ZIP' })
  await zipping.getByRole('button', { name: 'Save ZIP', exact: true }).click()
  await zipping.getByText(/^Saved, \d+\sB/).waitFor(patient)
  expect(await checkAccessibility()).toEqual([])
  expect([...readZip(await readStored(page, 'plans.zip')).keys()].sort()).toEqual(['plans/in/deep/', 'plans/later/'])
  await zipping.getByRole('button', { name: 'Done' }).click()
  await drawer.getByRole('link', { name: /^later/ }).click()
  await page.getByText('This folder is empty').waitFor()
  expect(await page.getByRole('button', { name: /as a ZIP$/ }).count()).toBe(0)
})

test('reports why a worker stopped in the language of the page', async () => {
  const { page, context, wallet, open, expectProblem } = await site.newPage({ locale: 'de-DE' })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Lang', { name: 'film.bin' })
  await stateLarge(site, cid)
  const content = [{ path: 'plan.txt', content: new Blob(['Bergauf']) }]
  const [folder] = await uploadEncryptedFolder(client, content, { name: 'reise', asOne: true })
  // The chosen file has moved when the worker opens it.
  await context.addInitScript(`window.showSaveFilePicker = async ({ suggestedName }) => {
    const folder = await navigator.storage.getDirectory()
    const place = await folder.getDirectoryHandle('gone', { create: true })
    const handle = await place.getFileHandle(suggestedName, { create: true })
    await folder.removeEntry('gone', { recursive: true })
    return handle
  }`)
  await open(`/files/${cid}`)
  await page.getByRole('button', { name: 'Wallet verbinden' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  const texts = 'Die Datei lässt sich nicht schreiben. Prüfen, ob es ihren Ordner noch gibt'
  await page.getByRole('button', { name: 'Entschlüsselte Datei sichern' }).click()
  await page.getByRole('alert').filter({ hasText: texts }).waitFor(patient)
  await open(`/files/${folder?.cid}`)
  const zip = page.getByRole('button', { name: '1 Datei als ZIP herunterladen' })
  await unlock(page.getByRole('button', { name: 'Ordner öffnen' }), zip)
  const zipping = page.getByRole('dialog', { name: '1 Datei als ZIP herunterladen' })
  const code = /write-zip/
  expectProblem(/ERR_FAILED/)
  await context.route(code, (route) => route.abort())
  await zip.click()
  await zipping.getByRole('button', { name: /^ZIP sichern/ }).click()
  await zipping.getByRole('alert').filter({ hasText: 'Der Dienst ist nicht erreichbar' }).waitFor(patient)
  await context.unroute(code)
  await zipping.getByRole('button', { name: 'Fertig' }).click()
  await zip.click()
  await zipping.getByRole('button', { name: /^ZIP sichern/ }).click()
  await zipping.getByRole('alert').filter({ hasText: texts }).waitFor(patient)
})
