// Uploads that outlive the page: what the service has is not sent again.
import { createHash, randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UploadInfo } from '@cairn/protocol'
import { decryptBytes, getKeyStatus, listFiles, uploadEncryptedText } from '@cairn/sdk'
import type { Page, Request } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createAccountClient } from './wallet-client.ts'

const MiB = 1024 * 1024
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

/** Requests with bytes that the service is reading: it runs in this process. */
const bringing = new Set<IncomingMessage>()
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  if (request.method !== 'PATCH') return
  bringing.add(request)
  response.once('close', () => bringing.delete(request))
})

type Line = {
  /** Where each request with bytes began, and how many it was to bring. */
  sent: { offset: number; bytes: number }[]
  /** The key that the page sends, for looking at the service from here. */
  key: () => string
  /** What the line carries from now on; -1 for all it can. */
  slow: (bytesPerSecond: number) => Promise<void>
  /** Cuts it, or mends it. */
  cut: (isCut: boolean) => Promise<void>
}

async function openSignedIn(options?: Parameters<ConsoleTest['newPage']>[0]): Promise<ConsolePage & { line: Line }> {
  const opened = await site.newPage(options)
  const { page, context } = opened
  // Pages that work ask before they are left.
  page.on('dialog', (dialog) => void dialog.accept())
  let key = ''
  const sent: Line['sent'] = []
  page.on('request', (request: Request) => {
    const { authorization } = request.headers()
    if (authorization !== undefined && request.url().startsWith(site.network.profile.api)) key = authorization
    if (request.method() !== 'PATCH' || !request.url().includes('/api/uploads/')) return
    sent.push({ offset: Number(request.headers()['upload-offset']), bytes: 0 })
  })
  await opened.open('/files')
  await opened.signIn()
  await page.getByText('Nothing here yet').waitFor()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const emulate = async (uploadThroughput: number) => {
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  }
  return {
    ...opened,
    line: {
      sent,
      key: () => key,
      slow: (bytesPerSecond) => emulate(bytesPerSecond),
      cut: async (isCut) => {
        await context.setOffline(isCut)
        if (isCut) for (const { socket } of bringing) socket.destroy()
      },
    },
  }
}

const panelOf = (page: Page) => page.getByRole('region', { name: 'Transfers' })
const rowOf = (page: Page, name: string) => panelOf(page).getByRole('listitem').filter({ hasText: name })

async function openUploads(line: Line): Promise<UploadInfo[]> {
  const answer = await fetch(`${site.network.profile.api}/api/uploads`, { headers: { authorization: line.key() } })
  const { uploads } = (await answer.json()) as { uploads: UploadInfo[] }
  return uploads
}

/** Waits until the service has some of it, and answers how much. */
async function untilHalf(line: Line, bytes: number): Promise<number> {
  for (;;) {
    const [first] = await openUploads(line)
    if (first !== undefined && first.offsetBytes >= bytes) return first.offsetBytes
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function start(page: Page, paths: string | string[]): Promise<void> {
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', paths)
  await page.getByRole('button', { name: 'Start upload' }).click()
}

async function expectStored(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const cell = page
    .getByRole('row')
    .filter({ hasText: name })
    .getByRole('button', { name: /^Copy CID/ })
  await cell.waitFor({ timeout: 60_000 })
  const cid = /baf\w{30,}/.exec((await cell.textContent()) ?? '')?.[0] ?? ''
  const read = new Uint8Array(await (await fetch(`${site.network.profile.gateway}/ipfs/${cid}`)).arrayBuffer())
  const sha = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
  expect(sha(read)).toBe(sha(bytes))
}

test('after a reload at half-way the rest is sent, by itself, and nothing else', { timeout: 240_000 }, async () => {
  const { page, line, problems } = await openSignedIn()
  const bytes = randomBytes(48 * MiB)
  await writeFile(join(folder, 'film.bin'), bytes)
  await line.slow(12 * MiB)
  await start(page, join(folder, 'film.bin'))
  await untilHalf(line, 20 * MiB)
  await page.reload()
  await rowOf(page, 'film.bin').waitFor()
  await expectStored(page, 'film.bin', bytes)
  expect(line.sent).toHaveLength(2)
  expect(line.sent[0]?.offset).toBe(0)
  // It begins where the service stood, not before half.
  expect(line.sent[1]?.offset).toBeGreaterThanOrEqual(20 * MiB)
  expect(await page.getByRole('row').filter({ hasText: 'film.bin' }).count()).toBe(1)
  await page.reload()
  await page.getByRole('link', { name: 'film.bin' }).waitFor()
  expect(line.sent).toHaveLength(2)
  expect(problems).toEqual([])
})

test('a large file is asked for again: another is refused, the same one is sent from where it stood', {
  timeout: 240_000,
}, async () => {
  const { page, line, checkAccessibility, problems } = await openSignedIn()
  const path = join(folder, 'huge.bin')
  const bytes = randomBytes(70 * MiB)
  await writeFile(path, bytes)
  await line.slow(16 * MiB)
  await start(page, path)
  await untilHalf(line, 24 * MiB)
  await page.reload()
  const row = rowOf(page, 'huge.bin')
  await row.getByText(/^Unfinished: .* of 70 MiB are stored/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await mkdir(join(folder, 'other'))
  const other = join(folder, 'other', 'huge.bin')
  await writeFile(other, randomBytes(70 * MiB))
  await page.setInputFiles('input[data-resume="huge.bin"]', other)
  await row.getByText('This is not huge.bin as it was').waitFor()
  expect(line.sent).toHaveLength(1)
  await page.setInputFiles('input[data-resume="huge.bin"]', path)
  await expectStored(page, 'huge.bin', bytes)
  expect(line.sent).toHaveLength(2)
  expect(line.sent[1]?.offset).toBeGreaterThanOrEqual(24 * MiB)
  expect(problems).toEqual([])
})

test('a file that looks the same and is another is found out before a byte of it is sent', {
  timeout: 240_000,
}, async () => {
  const { page, line } = await openSignedIn()
  const path = join(folder, 'swapped.bin')
  const time = new Date(1_700_000_000_000)
  await writeFile(path, randomBytes(66 * MiB))
  await utimes(path, time, time)
  await line.slow(16 * MiB)
  await start(page, path)
  await untilHalf(line, 16 * MiB)
  await page.reload()
  await rowOf(page, 'swapped.bin').getByText('Unfinished').waitFor()
  await writeFile(path, randomBytes(66 * MiB))
  await utimes(path, time, time)
  await page.setInputFiles('input[data-resume="swapped.bin"]', path)
  await rowOf(page, 'swapped.bin')
    .getByText(/These are not the files that the upload began with/)
    .waitFor()
  expect(line.sent).toHaveLength(1)
})

test('a cut in the middle is waited out, and costs what was on its way', { timeout: 240_000 }, async () => {
  const { page, line, expectProblem } = await openSignedIn()
  expectProblem(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK/)
  const bytes = randomBytes(40 * MiB)
  await writeFile(join(folder, 'cut.bin'), bytes)
  await line.slow(12 * MiB)
  await start(page, join(folder, 'cut.bin'))
  await untilHalf(line, 16 * MiB)
  await line.cut(true)
  await rowOf(page, 'cut.bin')
    .getByText(/Waiting for the network/)
    .waitFor({ timeout: 60_000 })
  await line.cut(false)
  await expectStored(page, 'cut.bin', bytes)
  const last = line.sent.at(-1)
  expect(last?.offset).toBeGreaterThanOrEqual(16 * MiB)
})

test('to cancel removes what the service has, and to sign out all of it', { timeout: 240_000 }, async () => {
  const { page, line, problems } = await openSignedIn()
  await writeFile(join(folder, 'away.bin'), randomBytes(60 * MiB))
  await line.slow(4 * MiB)
  await start(page, join(folder, 'away.bin'))
  await untilHalf(line, 8 * MiB)
  await page.getByRole('button', { name: 'Cancel away.bin' }).click()
  await rowOf(page, 'away.bin').getByText('Canceled').waitFor()
  await expect.poll(() => openUploads(line)).toEqual([])
  await page.reload()
  await page.getByText('Nothing here yet').waitFor()
  expect(await panelOf(page).count()).toBe(0)
  await start(page, join(folder, 'away.bin'))
  await untilHalf(line, 1)
  const asked = page.waitForRequest(
    (request) => request.method() === 'DELETE' && request.url().includes('/api/uploads/'),
  )
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
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

test('small files that wait their turn go on after a reload, and two tabs do not send one twice', {
  timeout: 240_000,
}, async () => {
  const { page, context, line, problems, expectProblem } = await openSignedIn()
  const names = Array.from({ length: 6 }, (_, at) => `small-${at}.bin`)
  await Promise.all(names.map((name) => writeFile(join(folder, name), randomBytes(2 * MiB))))
  await line.slow(MiB)
  await start(
    page,
    names.map((name) => join(folder, name)),
  )
  await panelOf(page).getByText('Waiting its turn').first().waitFor()
  // The blank page that a tab begins with is no secure context.
  expectProblem(/randomUUID/)
  const second = await context.newPage()
  await second.goto('/files')
  await second.getByRole('button', { name: 'Connect wallet' }).first().click()
  await second.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await second.getByRole('button', { name: /^Account 0x/ }).waitFor()
  await second.getByRole('button', { name: 'Upload' }).first().waitFor()
  expect(await panelOf(second).count()).toBe(0)
  await second.close()
  await page.reload()
  await line.slow(-1)
  for (const name of names) await page.getByRole('link', { name }).waitFor({ timeout: 60_000 })
  expect(problems).toEqual([])
})

test('an encrypted upload goes on after a reload with the bytes it encrypted, and asks no wallet', {
  timeout: 240_000,
}, async () => {
  const { page, wallet, line, problems } = await openSignedIn()
  const bytes = randomBytes(30 * MiB)
  await writeFile(join(folder, 'secret.bin'), bytes)
  await line.slow(8 * MiB)
  await page.keyboard.press('u')
  await page.getByText('Encrypted', { exact: true }).click()
  await page.setInputFiles('input[data-upload=files]', join(folder, 'secret.bin'))
  await page.getByRole('button', { name: 'Start upload' }).click()
  await untilHalf(line, 12 * MiB)
  const asked = wallet.requests.filter((method) => method === 'personal_sign').length
  await page.reload()
  await rowOf(page, 'secret.bin').waitFor()
  await page.getByRole('link', { name: 'secret.bin' }).waitFor({ timeout: 60_000 })
  expect(line.sent).toHaveLength(2)
  expect(line.sent[1]?.offset).toBeGreaterThanOrEqual(12 * MiB)
  expect(wallet.requests.filter((method) => method === 'personal_sign')).toHaveLength(asked)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const [file] = await Array.fromAsync(listFiles(client))
  expect(file?.encryption).toBe(true)
  expect(Buffer.from(await decryptBytes(client, file?.cid ?? '')).equals(bytes)).toBe(true)
  expect(problems).toEqual([])
})

test('a change that a reload cut in half is offered for repair, and repaired', { timeout: 240_000 }, async () => {
  const owner = await openSignedIn()
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
  await page.getByText('3 of 5 key nodes').first().waitFor()
  await page.reload()
  await page.unroute(`${fourth}/api/setSharedKey/**`)
  const repair = panelOf(page).getByRole('button', { name: /^Repair: / })
  await repair.waitFor({ timeout: 60_000 })
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

test('what was dropped is read again through the browser, after one press at most', { timeout: 240_000 }, async () => {
  const { page, context, line } = await openSignedIn()
  const path = join(folder, 'dropped.bin')
  const bytes = randomBytes(72 * MiB)
  await writeFile(path, bytes)
  await line.slow(16 * MiB)
  const session = await context.newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
    if (type === 'dragOver') await page.getByText('Drop to upload').waitFor()
  }
  await page.getByRole('button', { name: 'Start upload' }).click()
  await untilHalf(line, 24 * MiB)
  await page.reload()
  await rowOf(page, 'dropped.bin').waitFor()
  // Whether it asks is the browser's own choice.
  const goOn = page.getByRole('button', { name: 'Continue dropped.bin' })
  await goOn
    .or(page.getByRole('link', { name: 'dropped.bin' }))
    .first()
    .waitFor({ timeout: 60_000 })
  if (await goOn.isVisible()) await goOn.click()
  await expectStored(page, 'dropped.bin', bytes)
  expect(line.sent).toHaveLength(2)
  expect(line.sent[1]?.offset).toBeGreaterThanOrEqual(24 * MiB)
})
