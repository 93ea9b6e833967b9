// Private uploads in the console: visible only to their owner, and to people with a signed link.
import { readFile } from 'node:fs/promises'
import { type Client, createGatewayLink, uploadBytes, uploadEncryptedText, uploadFolder, uploadText } from '@cairn/sdk'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { drawHills } from './draw-hills.ts'
import { makeWave } from './make-wave.ts'
import { readZip } from './read-zip.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
})

type PrivatePage = ConsolePage & { client: Client; picture: string; text: string; box: string }

/** A page whose account has a private picture, text and folder. */
async function openWithPrivate(): Promise<PrivatePage> {
  const opened = await site.newPage()
  const client = await createAccountClient(site.network, opened.wallet.accounts[0])
  const { cid: picture } = await uploadBytes(client, drawHills(1), { name: 'hills.png', private: true })
  const { cid: text } = await uploadText(client, 'between us', { name: 'letter.txt', private: true })
  const inside = [
    { path: 'sub/inner.txt', content: new Blob(['inner words']) },
    { path: 'map.png', content: new Blob([new Uint8Array(drawHills(2))]) },
  ]
  const { cid: box } = await uploadFolder(client, inside, { name: 'box', private: true })
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByRole('link', { name: 'letter.txt' }).waitFor()
  return { ...opened, client, picture, text, box }
}

const expectDrawn = async (image: Locator) => {
  await expect.poll(() => image.evaluate((element) => Reflect.get(element, 'naturalWidth'))).toBeGreaterThan(0)
}

test('the owner reads and saves private pictures, texts and files of a private folder; a visitor gets nothing', async () => {
  const { page, open, picture, text, box } = await openWithPrivate()
  const urls = [picture, text, `${box}/map.png`, `${box}/sub/inner.txt`].map(
    (path) => `${site.network.profile.gateway}/ipfs/${path}`,
  )
  await open(`/files/${picture}`)
  await expectDrawn(page.getByRole('img', { name: 'hills.png' }))
  await open(`/files/${text}`)
  await page.getByText('between us').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toBe('between us')
  await open(`/files/${box}`)
  await page.getByRole('link', { name: 'sub Folder' }).click()
  await page.getByRole('link', { name: 'inner.txt' }).click()
  await page.getByText('inner words').waitFor()
  await open(`/files/${box}/map.png`)
  await expectDrawn(page.getByRole('img', { name: 'map.png' }))
  for (const url of urls) expect((await fetch(url)).status).toBe(404)

  const visitor = await site.newPage()
  await visitor.open(`/open/${text}`)
  await visitor.page.getByText('File not found on this service').waitFor()
  await visitor.open('/files')
  await visitor.signIn()
  await visitor.open(`/files/${picture}`)
  await visitor.page.getByText('File not found on this service').waitFor()
})

test('an open recording continues from its position when its link is replaced', async () => {
  const { page, open, client } = await openWithPrivate()
  const { cid } = await uploadBytes(client, makeWave(60, 8_000), { name: 'song.wav', private: true })
  await open(`/files/${cid}`)
  const player = page.locator('audio')
  const state = (name: string) => player.evaluate((element, property) => Reflect.get(element, property), name)
  await expect.poll(() => state('duration')).toBe(60)
  await player.evaluate((element) => Reflect.set(element, 'currentTime', 40))
  await expect.poll(() => state('seeking')).toBe(false)
  const first = await state('src')
  // Links expire at a whole second: a link that is signed in the same second as the first is equal to it.
  const signNow = async () => (await createGatewayLink(client, cid, { expiresInSeconds: 12 * 3600 })).expiresAt
  const firstExpiry = Number(new URL(String(first)).searchParams.get('expires')) * 1000
  await expect.poll(signNow).toBeGreaterThan(firstExpiry)
  // The next link is signed an hour before this one expires, when the page is visible again.
  await page.clock.setFixedTime(Date.now() + 11.5 * 3_600_000)
  const srcOnReturn = async () => {
    // The first return may join a request that is still under way on a busy machine.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    return state('src')
  }
  await expect.poll(srcOnReturn).not.toBe(first)
  await expect.poll(() => state('currentTime')).toBe(40)
})

test('marks private uploads in the list, tiles and details, and saves them in a ZIP', async () => {
  const { page, context, open, text, picture, checkAccessibility } = await openWithPrivate()
  for (const name of ['hills.png', 'letter.txt', 'box']) {
    await page.getByRole('row').filter({ hasText: name }).getByText('Private', { exact: true }).waitFor()
  }
  expect(await checkAccessibility()).toEqual([])
  await page.evaluate(saveIntoStorage)
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' }).click()
  const asked: string[] = []
  context.on('request', (request) => asked.push(request.url()))
  await page.getByRole('button', { name: /^Save ZIP/ }).click()
  await page
    .getByRole('dialog')
    .getByText(/^Saved 4 files/)
    .waitFor()
  // The list marks them as private: none of the files is requested without a link first.
  const read = asked.filter((url) => [text, picture].some((cid) => url.includes(`/ipfs/${cid}`)))
  expect(read).toHaveLength(2)
  for (const url of read) expect(url).toContain('signature=')
  const files = readZip(await readStored(page, 'Cairn files.zip'))
  expect([...files.keys()].sort()).toEqual(['box/map.png', 'box/sub/inner.txt', 'hills.png', 'letter.txt'])
  expect(files.get('box/sub/inner.txt')?.toString()).toBe('inner words')

  await open('/files?view=grid')
  const tile = page.getByRole('gridcell').filter({ hasText: 'hills.png' })
  await tile.getByLabel('Private', { exact: true }).waitFor()
  await expectDrawn(tile.locator('img'))
  await open(`/files/${text}?tab=details`)
  await page.getByText('Private: only you and people with a signed link can open it.').waitFor()
  expect(await page.getByRole('navigation', { name: 'File sections' }).getByRole('link').allTextContents()).toEqual([
    'Preview',
    'Details',
    'Access',
  ])
  expect(await checkAccessibility()).toEqual([])
})

test('filters separate public, private and encrypted files, in the drive and among the uploads', async () => {
  const { page, open, client } = await openWithPrivate()
  await uploadText(client, 'for all', { name: 'poster.txt' })
  await uploadEncryptedText(client, 'sealed words', { name: 'sealed.txt' })
  const names = { Public: ['poster.txt'], Private: ['box', 'hills.png', 'letter.txt'], Encrypted: ['sealed.txt'] }
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  for (const place of ['/files', '/files?place=uploads']) {
    await open(place)
    await link('sealed.txt').waitFor()
    for (const [filter, shown] of Object.entries(names)) {
      await page.getByRole('button', { name: filter, exact: true }).click()
      const others = Object.values(names)
        .flat()
        .filter((name) => !shown.includes(name))
      for (const name of others) await link(name).waitFor({ state: 'detached' })
      for (const name of shown) await link(name).waitFor()
    }
  }
})

test('the menu opens a private file in one tab, which cannot reach the console, and saves it', async () => {
  const { page, context, problems } = await openWithPrivate()
  const choose = async (item: string) => {
    await page.getByRole('link', { name: 'letter.txt' }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: item }).click()
  }
  // The tab has to open before the link is signed, which takes a call.
  const isAsked = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  await page.route('**/api/gateway-links', async (route) => {
    isAsked.resolve()
    await mayAnswer.promise
    await route.continue()
  })
  const opened = context.waitForEvent('page')
  await choose('Open on the gateway')
  const tab = await opened
  await isAsked.promise
  expect(new URL(tab.url()).protocol).toBe('about:')
  mayAnswer.resolve()
  await tab.getByText('between us').waitFor()
  expect(new URL(tab.url()).origin).toBe(new URL(site.network.profile.gateway).origin)
  expect(await tab.evaluate('[window.opener, document.referrer]')).toEqual([null, ''])
  expect(context.pages()).toHaveLength(2)
  await tab.close()
  const download = page.waitForEvent('download')
  await choose('Download')
  expect(await readFile(await (await download).path(), 'utf8')).toBe('between us')
  expect(context.pages()).toHaveLength(1)
  expect(problems).toEqual([])
})

test('a link that cannot be signed leaves no open tab, and the page says so', async () => {
  const { page, context, problems } = await openWithPrivate()
  await page.route('**/api/gateway-links', (route) => route.fulfill({ status: 403 }))
  const closed = context.waitForEvent('page').then((tab) => tab.waitForEvent('close'))
  await page.getByRole('link', { name: 'letter.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open on the gateway' }).click()
  await closed
  await page.getByText('letter.txt could not be opened').waitFor()
  expect(context.pages()).toHaveLength(1)
  expect(problems).toEqual([])
})

test('reports a blocked tab with a link that opens the private file', async () => {
  const { page, context, checkAccessibility, problems } = await openWithPrivate()
  // Automated browsers block no tab, so this simulates the result of a blocked one.
  await page.evaluate('window.open = () => null')
  await page.getByRole('link', { name: 'letter.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open on the gateway' }).click()
  const message = page.getByRole('status').filter({ hasText: 'The browser blocked the new tab' })
  await message.waitFor()
  expect(await checkAccessibility()).toEqual([])
  const opened = context.waitForEvent('page')
  await message.getByRole('link', { name: 'Open', exact: true }).click()
  const tab = await opened
  await tab.getByText('between us').waitFor()
  expect(await tab.evaluate('[window.opener, document.referrer]')).toEqual([null, ''])
  await message.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('offers a private file neither for a name, which opens for everyone, nor among the proofs', async () => {
  const { page, open, client } = await openWithPrivate()
  await uploadText(client, 'for all', { name: 'poster.txt' })
  await open('/proofs')
  const listed = page.getByRole('list', { name: 'Your files and their proofs' }).getByRole('link')
  await listed.first().waitFor()
  expect(await listed.allTextContents()).toEqual(['poster.txt'])
  await open('/names')
  await page.getByRole('button', { name: 'Create name' }).click()
  await page.getByLabel('Label').fill('my-site')
  await page.getByRole('dialog').getByRole('button', { name: 'Create name' }).click()
  await page.getByRole('main').getByRole('button', { name: 'Publish' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /^poster\.txt/ }).waitFor()
  expect(await dialog.getByRole('radio', { name: /\.(?:txt|png)|box/ }).count()).toBe(1)
})

test('a link opens a private file without an account, for the chosen time, and until the file is deleted', async () => {
  const { page, open, text, checkAccessibility } = await openWithPrivate()
  await open('/files?place=uploads')
  await page.getByRole('link', { name: 'letter.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Copy link that expires' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Anyone with the link can open letter.txt in any browser').waitFor()
  await dialog.getByText('It cannot be revoked.').waitFor()
  const chosen = dialog.getByRole('radio', { name: '1 day' })
  await expect.poll(() => chosen.evaluate((radio) => radio === radio.ownerDocument.activeElement)).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('ArrowLeft')
  expect(await dialog.getByRole('radio', { name: '1 hour' }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Copy link', exact: true }).click()
  const url = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(await checkAccessibility()).toEqual([])
  const expiresInSeconds = Number(new URL(url).searchParams.get('expires')) - Date.now() / 1000
  expect(expiresInSeconds).toBeGreaterThan(3000)
  expect(expiresInSeconds).toBeLessThanOrEqual(3600)
  const visitor = await site.newPage({ accounts: 0 })
  await visitor.open(url)
  await visitor.page.getByText('between us').waitFor()
  expect((await fetch(`${site.network.profile.gateway}/ipfs/${text}`)).status).toBe(404)

  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'letter.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  // While the dialog is open, no role finds the row behind it either.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'letter.txt' }).waitFor({ state: 'detached' })
  expect((await fetch(url)).status).toBe(404)
})

test('an arrow key does not turn the page while a new link is shown', async () => {
  const { page, open, text } = await openWithPrivate()
  await open('/files')
  await page.getByRole('link', { name: 'letter.txt' }).click()
  await page.getByText('File 3 of 3').waitFor({ state: 'attached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Copy link that expires' }).click()
  await page.keyboard.press('Enter')
  const made = page.getByRole('dialog', { name: 'Link ready' })
  await made.getByRole('button', { name: 'Copy link' }).press('ArrowLeft')
  expect(page.url()).toContain(text)
  await made.getByRole('button', { name: 'Done' }).click()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => page.url()).not.toContain(text)
})
