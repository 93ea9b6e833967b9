// Uploads that outlive the page: nothing that the service has is sent again.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  decryptBytes,
  downloadBytes,
  findThumbnails,
  getKeyStatus,
  listFiles,
  listFilesPage,
  uploadEncryptedText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { finishSharing } from './finish-sharing.ts'
import { startUpload } from './start-upload.ts'
import {
  expectContinued,
  expectStored,
  listKeptStates,
  openUploadPage,
  panelOf,
  rowOf,
  start,
  startDropped,
} from './upload-line.ts'
import { createAccountClient } from './wallet-client.ts'

const MiB = 1024 * 1024
/** The page stores no file this large: users choose it again. */
const tooLargeToKeep = 66 * MiB
/** Bytes per second of the line: so few that most of a file is still unsent when a busy machine takes its next step. */
const slowly = 2 * MiB
const isAdd = (url: URL) => url.pathname === '/api/v0/add'
let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
  folder = await mkdtemp(join(tmpdir(), 'cairn-unfinished-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('after a reload half-way, sends only the rest, automatically', { timeout: 240_000 }, async () => {
  const { page, line, problems } = await openUploadPage(site)
  const bytes = randomBytes(24 * MiB)
  await writeFile(join(folder, 'film.bin'), bytes)
  await line.slow(slowly)
  await start(page, join(folder, 'film.bin'))
  await line.untilStored(8 * MiB)
  await page.reload()
  await rowOf(page, 'film.bin').waitFor()
  await line.slow(-1)
  await expectStored(site, page, 'film.bin', bytes)
  expectContinued(line, 8 * MiB)
  const requests = line.offsets.length
  expect(await page.getByRole('row').filter({ hasText: 'film.bin' }).count()).toBe(1)
  await page.reload()
  await page.getByRole('link', { name: 'film.bin' }).waitFor()
  expect(line.offsets).toHaveLength(requests)
  expect(problems).toEqual([])
})

test('asks for a dropped large file again, rejects another one, and resumes the same one', {
  timeout: 240_000,
}, async () => {
  // This browser stores no handle of the file. tests/system covers one that does.
  const opened = await openUploadPage(site)
  const { page, line, checkAccessibility, problems } = opened
  const path = join(folder, 'huge.bin')
  const bytes = randomBytes(tooLargeToKeep)
  await writeFile(path, bytes)
  await line.slow(16 * MiB)
  await startDropped(opened, path)
  await line.untilStored(24 * MiB)
  await page.reload()
  const row = rowOf(page, 'huge.bin')
  await row.getByText(/^Unfinished: .* of 66\sMiB stored/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  const requests = line.offsets.length
  await mkdir(join(folder, 'other'))
  const other = join(folder, 'other', 'huge.bin')
  await writeFile(other, 'another')
  await page.setInputFiles('input[data-resume="huge.bin"]', other)
  await row.getByText('This is not the same huge.bin').waitFor()
  expect(line.offsets).toHaveLength(requests)
  await line.slow(-1)
  await page.setInputFiles('input[data-resume="huge.bin"]', path)
  await expectStored(site, page, 'huge.bin', bytes)
  expectContinued(line, 24 * MiB)
  expect(problems).toEqual([])
})

test('detects another file that looks the same before a byte of it is sent', {
  timeout: 240_000,
}, async () => {
  const { page, line } = await openUploadPage(site)
  const path = join(folder, 'swapped.bin')
  const time = new Date(1_700_000_000_000)
  await writeFile(path, randomBytes(tooLargeToKeep))
  await utimes(path, time, time)
  await line.slow(slowly)
  await start(page, path)
  await line.untilStored(8 * MiB)
  // The page reads the file for its CID while it sends it, so it cannot detect another file earlier.
  await expect.poll(() => page.evaluate(listKeptStates)).not.toEqual([[]])
  await page.reload()
  await rowOf(page, 'swapped.bin').getByText('Unfinished').waitFor()
  const requests = line.offsets.length
  await writeFile(path, randomBytes(tooLargeToKeep))
  await utimes(path, time, time)
  await page.setInputFiles('input[data-resume="swapped.bin"]', path)
  await rowOf(page, 'swapped.bin')
    .getByText(/The files differ from those the upload started with/)
    .waitFor()
  expect(line.offsets).toHaveLength(requests)
})

test('waits out a broken connection, which costs only the bytes in transit', { timeout: 240_000 }, async () => {
  const { page, line, expectProblem } = await openUploadPage(site)
  expectProblem(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK/)
  const bytes = randomBytes(24 * MiB)
  await writeFile(join(folder, 'cut.bin'), bytes)
  await line.slow(slowly)
  await start(page, join(folder, 'cut.bin'))
  await line.untilStored(8 * MiB)
  await line.cut(true)
  await rowOf(page, 'cut.bin')
    .getByText(/Waiting for the connection/)
    .waitFor({ timeout: 60_000 })
  await line.cut(false)
  await line.slow(-1)
  await expectStored(site, page, 'cut.bin', bytes)
  expect(line.offsets.at(-1)).toBeGreaterThanOrEqual(8 * MiB)
})

test('a paused upload sends nothing, stays paused after a reload, and resumes where it stopped', {
  timeout: 240_000,
}, async () => {
  const { page, line, checkAccessibility, problems } = await openUploadPage(site)
  const bytes = randomBytes(24 * MiB)
  await writeFile(join(folder, 'pause.bin'), bytes)
  await writeFile(join(folder, 'next.txt'), 'next')
  await line.slow(slowly)
  await start(page, join(folder, 'pause.bin'))
  await line.untilStored(8 * MiB)
  await page.getByRole('button', { name: 'Pause pause.bin' }).click()
  await rowOf(page, 'pause.bin').getByText('Paused', { exact: true }).waitFor()
  await panelOf(page).getByRole('heading').getByText('1 paused').waitFor()
  expect(await checkAccessibility()).toEqual([])
  const requests = line.offsets.length
  // Another upload continues meanwhile.
  await start(page, join(folder, 'next.txt'))
  await page.getByRole('link', { name: 'next.txt' }).waitFor()
  await page.reload()
  await rowOf(page, 'pause.bin').getByText('Paused', { exact: true }).waitFor()
  expect(line.offsets).toHaveLength(requests)
  await line.slow(-1)
  await page.getByRole('button', { name: 'Continue pause.bin' }).click()
  await expectStored(site, page, 'pause.bin', bytes)
  expectContinued(line, 8 * MiB)
  expect(problems).toEqual([])
})

test('cancelling removes what the service has, and signing out removes all of it', { timeout: 240_000 }, async () => {
  const { page, line, problems } = await openUploadPage(site)
  await writeFile(join(folder, 'away.bin'), randomBytes(24 * MiB))
  await line.slow(slowly)
  await start(page, join(folder, 'away.bin'))
  await line.untilStored(8 * MiB)
  await page.getByRole('button', { name: 'Cancel away.bin' }).click()
  await rowOf(page, 'away.bin').getByText('Cancelled').waitFor()
  await expect.poll(() => line.openUploads()).toEqual([])
  await page.reload()
  await page.getByText('Nothing here yet').waitFor()
  expect(await panelOf(page).count()).toBe(0)
  await line.slow(slowly)
  await start(page, join(folder, 'away.bin'))
  await line.untilStored(1)
  const asked = page.waitForRequest(
    (request) => request.method() === 'DELETE' && request.url().includes('/api/uploads/'),
  )
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  // It asks first, like closing the page.
  const question = page.getByRole('dialog', { name: 'Cancel 1 transfer?' })
  await question.getByRole('button', { name: 'Sign out' }).click()
  expect((await (await asked).response())?.status()).toBe(204)
  const left = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open('cairn-uploads', 1)
        opening.onsuccess = () => {
          const counting = opening.result.transaction('uploads').objectStore('uploads').count()
          counting.onsuccess = () => resolve(counting.result)
        }
      }),
  )
  expect(left).toBe(0)
  expect(problems).toEqual([])
})

test('an encrypted picture resumes after a reload with its encrypted bytes, without a wallet, and has a thumbnail', {
  timeout: 240_000,
}, async () => {
  const { page, wallet, line, problems } = await openUploadPage(site)
  const bytes = createBitmap(2048, 3072)
  await writeFile(join(folder, 'secret.bmp'), bytes)
  await line.slow(slowly)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'secret.bmp'))
  await startUpload(page, 'encrypted')
  await line.untilStored(4 * MiB)
  const asked = wallet.requests.filter((method) => method === 'personal_sign').length
  await page.reload()
  await rowOf(page, 'secret.bmp').waitFor()
  await line.slow(-1)
  await page.getByRole('link', { name: 'secret.bmp' }).waitFor({ timeout: 60_000 })
  expectContinued(line, 4 * MiB)
  expect(wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(asked)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const [file] = await Array.fromAsync(listFiles(client))
  expect(file?.encryption).toBe(true)
  const cid = file?.cid ?? ''
  expect(Buffer.from(await decryptBytes(client, cid)).equals(bytes)).toBe(true)
  await expect.poll(async () => (await findThumbnails(client, [cid])).size, { timeout: 60_000 }).toBe(1)
  expect(problems).toEqual([])
})

/** A picture of one colour in the format BMP, which is not compressed. */
function createBitmap(width: number, height: number): Buffer {
  const headerBytes = 54
  const file = Buffer.alloc(headerBytes + width * height * 3, 0x60)
  file.fill(0, 0, headerBytes)
  file.write('BM', 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(headerBytes, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  return file
}

test('offers to repair a change that a reload interrupted, and repairs it', { timeout: 240_000 }, async () => {
  const owner = await openUploadPage(site)
  const { page, wallet } = owner
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Half done', { name: 'half.txt' })
  const fourth = site.network.profile.keyNodes?.[3] ?? ''
  owner.expectProblem(/net::ERR_/)
  await page.route(`${fourth}/api/setSharedKey/**`, () => undefined)
  await owner.open(`/files/${cid}/access`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Share this file' })
  await dialog.getByLabel('Addresses').fill(`0x${'56'.repeat(20)}`)
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
  await finishSharing(page)
  await page.getByText('3 of 5 key nodes').first().waitFor()
  await page.reload()
  const repair = panelOf(page).getByRole('button', { name: /^Repair: / })
  await repair.waitFor({ timeout: 60_000 })
  // Not while the page loads: a request in progress when interception ends may never be answered.
  await page.unroute(`${fourth}/api/setSharedKey/**`)
  expect((await getKeyStatus(client, cid)).health).toBe('usable')
  expect(await owner.checkAccessibility()).toEqual([])
  await repair.click()
  await panelOf(page).getByText('Done', { exact: true }).waitFor({ timeout: 60_000 })
  expect((await getKeyStatus(client, cid)).health).toBe('whole')
  // Nothing is left to offer.
  await page.reload()
  await page.getByRole('heading', { name: 'Key nodes' }).waitFor()
  expect(await panelOf(page).count()).toBe(0)
})

test('uploads a file and a folder privately, and keeps the choice after a reload half-way', {
  timeout: 240_000,
}, async () => {
  const { page, line, wallet } = await openUploadPage(site)
  const bytes = randomBytes(24 * MiB)
  await writeFile(join(folder, 'film.bin'), bytes)
  await mkdir(join(folder, 'private-trip'))
  await writeFile(join(folder, 'private-trip', 'day.txt'), 'rain')
  // Too small for the service to know of them before they are sent, so what the page stores must say that they are private.
  const small = Array.from({ length: 8 }, (_, at) => join(folder, `part-${at}.bin`))
  for (const path of small) await writeFile(path, randomBytes(2 * MiB))
  // One of them is being sent until the page closes, however long this takes, so those behind it are queued.
  let isHeld = true
  await page.route(isAdd, (route) => (isHeld ? undefined : route.continue()))
  await line.slow(slowly)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', [join(folder, 'film.bin'), ...small])
  await startUpload(page, 'private')
  await line.untilStored(8 * MiB)
  await rowOf(page, 'part-7.bin').getByText('Queued', { exact: true }).waitFor()
  isHeld = false
  await page.reload()
  await rowOf(page, 'film.bin').waitFor()
  await rowOf(page, 'part-7.bin').waitFor()
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await line.slow(-1)
  await row('film.bin').getByText('Private', { exact: true }).waitFor({ timeout: 180_000 })
  expectContinued(line, 8 * MiB)
  await row('part-7.bin').getByText('Private', { exact: true }).waitFor()
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=folder]', join(folder, 'private-trip'))
  // The choice applied only to the previous uploads.
  await startUpload(page, 'private')
  await row('private-trip').getByText('Private', { exact: true }).waitFor()

  const client = await createAccountClient(site.network, wallet.accounts[0])
  await expect.poll(async () => (await listFilesPage(client)).totalFiles).toBe(10)
  const cids = new Map<string, string>()
  for await (const { fileName, cid, private: isPrivate } of listFiles(client)) {
    expect(isPrivate).toBe(true)
    cids.set(fileName, cid)
    expect((await fetch(`${site.network.profile.gateway}/ipfs/${cid}`)).status).toBe(404)
  }
  expect(Buffer.from(await downloadBytes(client, cids.get('film.bin') ?? '')).equals(bytes)).toBe(true)
  expect(new TextDecoder().decode(await downloadBytes(client, `${cids.get('private-trip')}/day.txt`))).toBe('rain')
})
