// Drops on the page: folders, files, and what the system adds to them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles, openEncryptedFolder, uploadFolder } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { openEmpty } from './files-page.ts'
import { startUpload } from './start-upload.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-transfers-'))
  await mkdir(join(folder, 'photos', 'deep'), { recursive: true })
  await writeFile(join(folder, 'photos', 'one.txt'), 'one')
  await writeFile(join(folder, 'photos', 'deep', 'two.txt'), 'two')
  await writeFile(join(folder, 'loose.txt'), 'loose')
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** A drop as the system performs it: paths on the disk, including folders. */
async function dropPaths(page: Page, paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
    if (type === 'dragOver') await page.getByText('Drop to upload').waitFor()
  }
}

// Page scripts cannot create a folder to drop: only the system and Chromium's devtools protocol can.
test.skipIf(isFirefox)(
  'a dropped folder keeps its paths and gets one CID; files beside it become separate uploads',
  async () => {
    const { page, problems } = await openEmpty(site)
    await dropPaths(page, [join(folder, 'photos'), join(folder, 'loose.txt')])
    await page.getByRole('textbox', { name: 'Name of photos' }).waitFor()
    await page.getByText('2 files, 6 B').waitFor()
    await startUpload(page, 'public')
    await page.getByRole('link', { name: 'loose.txt' }).waitFor()
    await page.getByRole('link', { name: 'photos', exact: true }).waitFor()
    const cid = await page
      .getByRole('row')
      .filter({ hasText: 'photos' })
      .getByRole('button', { name: /^Copy CID/ })
      .textContent()
    const inner = await fetch(`${site.network.profile.gateway}/ipfs/${/baf\w{30,}/.exec(cid ?? '')?.[0]}/deep/two.txt`)
    expect(await inner.text()).toBe('two')
    expect(problems).toEqual([])
  },
)

test.skipIf(isFirefox)(
  'a dropped folder keeps its empty folders, also when encrypted, and so does one with nothing else',
  async () => {
    const { page, wallet, problems } = await openEmpty(site)
    await mkdir(join(folder, 'trip', 'no', 'files'), { recursive: true })
    await mkdir(join(folder, 'blank'))
    await writeFile(join(folder, 'trip', 'plan.txt'), 'plan')
    const client = await createAccountClient(site.network, wallet.accounts[0])
    const cidOf = async (name: string) => {
      const rows = await Array.fromAsync(listFiles(client))
      return rows.find(({ fileName }) => fileName === name)?.cid ?? ''
    }
    for (const access of ['public', 'encrypted'] as const) {
      await dropPaths(page, [join(folder, 'trip'), join(folder, 'blank')])
      await page.getByText('1 file, 4 B').waitFor()
      // A hint for folders chosen in a dialog, which lose theirs.
      expect(await page.getByText('Empty folders are included only if you drop the folder.').count()).toBe(0)
      for (const name of ['trip', 'blank'])
        await page.getByRole('textbox', { name: `Name of ${name}` }).fill(`${access} ${name}`)
      await startUpload(page, access)
      for (const name of ['trip', 'blank'])
        await page.getByRole('link', { name: `${access} ${name}`, exact: true }).waitFor()
    }
    const { cid } = await uploadFolder(client, join(folder, 'trip'), { name: 'from the disk' })
    expect(await cidOf('public trip')).toBe(cid)
    expect(await cidOf('public blank')).toBe('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
    const { files, folders } = await openEncryptedFolder(client, await cidOf('encrypted trip'))
    expect([files.map(({ path }) => path), folders]).toEqual([['plan.txt'], ['no/files']])
    expect(await openEncryptedFolder(client, await cidOf('encrypted blank'))).toMatchObject({ files: [], folders: [] })
    // Also in the pages of the folders.
    for (const [name, inside] of [
      ['public blank', 'This folder is empty'],
      ['encrypted blank', 'This folder is empty'],
      ['encrypted trip', 'plan.txt'],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).click()
      const drawer = page.getByRole('dialog', { name })
      await drawer.getByText(inside).waitFor()
      if (name === 'encrypted trip') {
        await drawer.getByRole('link', { name: /^no/ }).click()
        await page.getByRole('link', { name: /^files/ }).click()
        await page.getByText('This folder is empty').waitFor()
      } else await page.goBack()
    }
    expect(problems).toEqual([])
  },
)

test.skipIf(isFirefox)(
  'as separate files, empty folders are omitted, and the sheet says so, even if there is nothing else',
  async () => {
    const { page, checkAccessibility } = await openEmpty(site)
    await mkdir(join(folder, 'hollow', 'inner'), { recursive: true })
    await mkdir(join(folder, 'half', 'none'), { recursive: true })
    await writeFile(join(folder, 'half', 'some.txt'), 'some')
    await dropPaths(page, [join(folder, 'hollow')])
    const sheet = page.getByRole('dialog', { name: 'Upload' })
    const start = sheet.getByRole('button', { name: /^Encrypt and upload/ })
    const separate = sheet.getByText('As separate files')
    await separate.click()
    await sheet.getByText('There are no files to upload, only empty folders.').waitFor()
    await expect.poll(() => start.isDisabled()).toBe(true)
    // The dropped files stay visible.
    await sheet.getByRole('textbox', { name: 'Name of hollow' }).waitFor()
    expect(await checkAccessibility()).toEqual([])
    await sheet.getByText('As one folder', { exact: true }).click()
    await expect.poll(() => start.isDisabled()).toBe(false)
    await sheet.getByRole('button', { name: 'Close' }).click()
    await sheet.waitFor({ state: 'detached' })
    await dropPaths(page, [join(folder, 'half')])
    await separate.click()
    await sheet.getByText('2 empty folders are left out.').waitFor()
    // Renaming a line does not split the folder.
    await sheet.getByRole('textbox', { name: 'Name of half/some.txt' }).fill('half/other.txt')
    await sheet.getByText('As one folder', { exact: true }).click()
    await sheet.getByRole('textbox', { name: 'Name of half', exact: true }).waitFor()
    await separate.click()
    await sheet.getByRole('textbox', { name: 'Name of half/other.txt' }).fill('half/some.txt')
    await startUpload(page, 'public')
    await page.getByRole('link', { name: 'half', exact: true }).click()
    await page.getByRole('link', { name: 'some.txt' }).waitFor()
  },
)

test('a file dropped anywhere is uploaded', async () => {
  const { page, problems } = await openEmpty(site)
  const drag = (type: string) =>
    page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      document.body.dispatchEvent(new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true }))
    }`)
  await drag('dragenter')
  await drag('dragover')
  await page.getByText('Drop to upload').waitFor()
  await drag('drop')
  await page.getByRole('textbox', { name: 'Name of dropped.txt' }).waitFor()
  await startUpload(page, 'public')
  await page.getByRole('link', { name: 'dropped.txt' }).waitFor()
  expect(problems).toEqual([])
})

test('the overlay of a drag whose end was not reported disappears when the pointer moves', async () => {
  const { page } = await openEmpty(site)
  const overlay = page.getByText('Drop to upload')
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['1'], 'one.txt'))
    for (const one of [document.body, document.querySelector('main')])
      one.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true, cancelable: true }))
  })()`)
  await overlay.waitFor()
  await page.mouse.move(300, 300)
  await overlay.waitFor({ state: 'detached' })
})

test('pastes a text that comes with a picture of it into the field, and files without text into the sheet', async () => {
  const { page } = await openEmpty(site)
  const paste = (selector: string, isText: boolean) =>
    page.locator(selector).evaluate((element, hasText) => {
      const clipboardData = new DataTransfer()
      if (hasText) clipboardData.setData('text/plain', '0x1\t0x2')
      clipboardData.items.add(new File(['dots'], 'image.png', { type: 'image/png' }))
      // Firefox makes no such event with files.
      const event = new Event('paste', { bubbles: true })
      Object.defineProperty(event, 'clipboardData', { value: clipboardData })
      element.dispatchEvent(event)
    }, isText)
  await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
  await page.getByRole('dialog').getByText('Text', { exact: true }).click()
  await paste('textarea', true)
  await page.locator('textarea').fill('still here')
  await paste('body', true)
  // Every copied picture has the same name.
  await page.getByRole('textbox', { name: /^Name of Pasted image \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/ }).waitFor()
})
