// Downloads from the menus and selections of lists: every kind of file, folders, and several uploads of one name.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { uploadBytes, uploadEncryptedFolder, uploadEncryptedText, uploadFolder, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRemoved, readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { dropKeySession } from './drop-key-session.ts'
import { nextSaved } from './next-saved.ts'
import { readZip } from './read-zip.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

const menuOf = async (page: ConsolePage['page'], name: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  return page.getByRole('menu', { name: `Actions for ${name}` })
}

/** Saves the ZIP that the open dialog offers, and returns its paths. */
async function saveZip(page: ConsolePage['page'], name: string): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
  await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
  await dialog.getByText(/^Saved/).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return [...readZip(await readStored(page, name)).keys()].sort()
}

test('the menu of every file and folder downloads it, in the drive and among the uploads', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  // Uploads with the same content are one file of the drive.
  const inside = (text: string) => [{ path: 'sub/inner.txt', content: new Blob([text]) }]
  await uploadText(client, 'for all', { name: 'poster.txt' })
  await uploadText(client, 'between us', { name: 'letter.txt', private: true })
  await uploadEncryptedText(client, 'a secret', { name: 'diary.txt' })
  await uploadFolder(client, inside('for all'), { name: 'things' })
  await uploadFolder(client, inside('between us'), { name: 'box', private: true })
  await uploadEncryptedFolder(client, inside('a secret'), { name: 'chest', asOne: true })
  await open('/files')
  await signIn()
  for (const place of ['/files', '/files?place=uploads']) {
    await open(place)
    for (const name of ['things', 'box', 'chest']) {
      const row = page.getByRole('row').filter({ hasText: name })
      await row.getByText('Folder', { exact: true }).waitFor()
    }
    for (const [name, text] of [
      ['poster.txt', 'for all'],
      ['letter.txt', 'between us'],
    ] as const) {
      const download = page.waitForEvent('download')
      await (await menuOf(page, name)).getByRole('menuitem', { name: 'Download' }).click()
      expect(await readFile(await (await download).path(), 'utf8')).toBe(text)
    }
    // A browser without a file picker saves a download, any other writes into the chosen file.
    const picker = await page.evaluate('Reflect.deleteProperty(window, "showSaveFilePicker") && true')
    expect(picker).toBe(true)
    const saved = nextSaved(page)
    await (await menuOf(page, 'diary.txt')).getByRole('menuitem', { name: 'Download' }).click()
    const { name, bytes } = await saved
    expect([name, bytes.toString()]).toEqual(['diary.txt', 'a secret'])
    await page.getByRole('status').filter({ hasText: 'diary.txt saved' }).first().waitFor()
    await page.evaluate(saveIntoStorage)
    await (await menuOf(page, 'diary.txt')).getByRole('menuitem', { name: 'Download' }).click()
    await expect.poll(async () => String(await readStored(page, 'diary.txt').catch(() => ''))).toBe('a secret')
    for (const folder of ['things', 'box', 'chest']) {
      await (await menuOf(page, folder)).getByRole('menuitem', { name: 'Download' }).click()
      expect(await saveZip(page, `${folder}.zip`)).toEqual([`${folder}/sub/inner.txt`])
    }
  }
  expect(await checkAccessibility()).toEqual([])
})

test('downloads an encrypted file after one more signature, and not at all if the user declines it', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadEncryptedText(client, 'a secret', { name: 'diary.txt' })
  await open('/files?place=uploads')
  await signIn()
  await dropKeySession(page)
  await page.reload()
  await page.evaluate(saveIntoStorage)
  await (await menuOf(page, 'diary.txt')).getByRole('menuitem', { name: 'Download' }).click()
  const dialog = page.getByRole('dialog', { name: 'One more signature' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expectRemoved(page, 'diary.txt')
  await (await menuOf(page, 'diary.txt')).getByRole('menuitem', { name: 'Download' }).click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await expect.poll(async () => String(await readStored(page, 'diary.txt').catch(() => ''))).toBe('a secret')
})

test('fetches the small files of a ZIP several at a time and large ones one by one, and keeps their order', async () => {
  const { page, context, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const names = Array.from({ length: 12 }, (_, at) => `note-${String(at).padStart(2, '0')}.txt`)
  const film = randomBytes(2_000_000)
  for (const name of names) await uploadText(client, `text of ${name}`, { name })
  await uploadBytes(client, film, { name: 'note-08 film.bin' })
  await uploadEncryptedText(client, 'a secret', { name: 'note-09 sealed.txt' })
  await open('/files?sort=fileName&order=asc')
  await signIn()
  await page.evaluate(saveIntoStorage)
  await page.getByText('14 items').waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' }).click()
  // None of the first six is answered before all of them have arrived.
  const six = Promise.withResolvers<void>()
  let waiting = 0
  let most = 0
  await context.route(/\/ipfs\//, async (route) => {
    most = Math.max(most, ++waiting)
    if (waiting === 6) six.resolve()
    await six.promise
    const response = await route.fetch()
    waiting--
    await route.fulfill({ response })
  })
  const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
  await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
  await dialog.getByText('Saved 14 files').waitFor()
  expect(most).toBe(6)
  const files = readZip(await readStored(page, 'Cairn files.zip'))
  const order = [...names, 'note-08 film.bin', 'note-09 sealed.txt'].sort()
  expect([...files.keys()].toSorted()).toEqual(order)
  for (const name of names) expect(files.get(name)?.toString()).toBe(`text of ${name}`)
  expect(files.get('note-08 film.bin')?.equals(film)).toBe(true)
  expect(files.get('note-09 sealed.txt')?.toString()).toBe('a secret')
})

test('without a file picker, a ZIP does not replace one that the browser is still copying, and clearing the device leaves none', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  for (const name of ['first', 'second'])
    await uploadFolder(client, [{ path: 'inner.txt', content: new Blob([name]) }], { name })
  await open('/files')
  await signIn()
  await page.evaluate(`{
    Reflect.deleteProperty(window, 'showSaveFilePicker')
    window.saved = []
    const create = URL.createObjectURL
    URL.createObjectURL = (blob) => {
      window.saved.push(blob)
      return create(blob)
    }
  }`)
  for (const name of ['first', 'second']) {
    await page.getByRole('row').filter({ hasText: name }).getByText('Folder', { exact: true }).waitFor()
    await (await menuOf(page, name)).getByRole('menuitem', { name: 'Download' }).click()
    const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
    await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
    await dialog.getByText(/^Saved/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
  }
  const texts = await page.evaluate<string[]>('Promise.all(window.saved.map((blob) => blob.text()))')
  expect(texts.map((text) => ['first', 'second'].filter((name) => text.includes(`${name}/inner.txt`)))).toEqual([
    ['first'],
    ['second'],
  ])
  const kept = () =>
    page.evaluate<string[]>(
      `navigator.storage.getDirectory().then((folder) => Array.fromAsync(folder.keys()))
        .then((names) => names.filter((name) => name.endsWith('.zip')))`,
    )
  expect(await kept()).toHaveLength(2)
  await open('/settings')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.getByRole('button', { name: 'Clear and sign out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  expect(await kept()).toEqual([])
})

test('saves a selection of uploads as one ZIP that numbers equal names', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadText(client, 'one', { name: 'a.txt' })
  await uploadText(client, 'two', { name: 'a.txt' })
  await uploadEncryptedText(client, 'three', { name: 'b.txt' })
  await open('/files?place=uploads')
  await signIn()
  await page.evaluate(saveIntoStorage)
  await page.getByRole('link', { name: 'b.txt' }).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' }).click()
  expect(await saveZip(page, 'Cairn files.zip')).toEqual(['a (2).txt', 'a.txt', 'b.txt'])
})
