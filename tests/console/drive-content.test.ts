// Content of the drive in the console: versions and copies of uploads, ZIPs of a selection, two devices, and a lost key.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  createS3Credentials,
  listFiles,
  openDrive,
  transferFile,
  uploadBytes,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { createKeyClient } from '../fixtures.ts'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { act, createFolder, goTo, link, openDrivePage } from './drive-page.ts'
import { nextSaved } from './next-saved.ts'
import { readZip } from './read-zip.ts'
import { startUpload } from './start-upload.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-drive-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('uploads go into the open folder; an existing name gets a version; copies are found by their CID', async () => {
  const { page, client, checkAccessibility } = await openDrivePage(site, ['plan.txt'])
  await createFolder(page, 'work')
  await link(page, 'work').click()
  const path = join(folder, 'plan.txt')
  for (const [text, access] of [
    ['first plan', 'public'],
    ['second plan', 'encrypted'],
  ] as const) {
    await writeFile(path, text)
    await page.getByRole('button', { name: 'Upload' }).first().click()
    await page.setInputFiles('input[data-upload=files]', path)
    await page.getByText('Into work').waitFor()
    await startUpload(page, access)
    await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).first().waitFor()
    await link(page, 'plan.txt').waitFor()
  }
  await page.getByText('2 versions').waitFor()
  const size = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('row').filter({ hasText: 'plan.txt' }).getByText('· 2 versions').waitFor()
  await page.setViewportSize(size)
  await act(page, 'plan.txt', 'Versions')
  // Users who can open one version may not be able to open another.
  const versions = page.getByRole('dialog').getByRole('listitem')
  expect(await versions.allTextContents()).toEqual([
    expect.stringMatching(/ · Encrypted/),
    expect.stringMatching(/ · Public/),
  ])
  expect(await checkAccessibility()).toEqual([])
  // An earlier version says what it is, and can be made current from its view.
  await page.getByRole('dialog').getByRole('link', { name: 'Open' }).last().click()
  const open = page.getByRole('dialog', { name: 'plan.txt' })
  await open.getByText('first plan').waitFor()
  await open.getByText(/^Earlier version, from /).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await open.getByRole('link', { name: 'Open the current version' }).click()
  await open.getByText('second plan').waitFor()
  expect(await open.getByText(/^Earlier version, from /).count()).toBe(0)
  await page.goBack()
  await act(page, 'plan.txt', 'Versions')
  await page.getByRole('dialog').getByRole('link', { name: 'Open' }).last().click()
  await open.getByRole('button', { name: 'Make current' }).click()
  await page.getByText('plan.txt is back to its earlier version').waitFor()
  await open.getByText(/^Earlier version, from /).waitFor({ state: 'detached' })
  await page.goBack()
  await uploadText(client, 'content of plan.txt', { name: 'copy.txt' })
  await page.reload()
  await link(page, 'plan.txt').waitFor()
  await goTo(page, 'Duplicates')
  await page.getByText('/plan.txt, uploaded 2 times').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Remove copies plan.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove copies' }).click()
  await page.getByText('No duplicates').waitFor()
})

test('lists copies of several versions of one file as separate rows', async () => {
  const { page, client } = await openDrivePage(site, ['plan.txt'])
  await uploadText(client, 'a later plan', { name: 'plan.txt' })
  for (const [text, name] of [
    ['content of plan.txt', 'copy of the first.txt'],
    ['a later plan', 'copy of the second.txt'],
    ['the largest text, '.repeat(99), 'large.txt'],
    ['the largest text, '.repeat(99), 'copy of large.txt'],
  ] as const)
    await uploadText(client, text, { name })
  await page.reload()
  await link(page, 'large.txt').waitFor()
  await goTo(page, 'Duplicates')
  const rows = page.getByRole('list', { name: 'Duplicates' }).getByRole('listitem')
  const names = async () => (await rows.allTextContents()).map((text) => /\/([^,]+),/.exec(text)?.[1])
  await expect.poll(names).toEqual(['large.txt', 'plan.txt', 'plan.txt'])
  await page.getByRole('button', { name: 'Remove copies large.txt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove copies' }).click()
  await page.getByText('1 upload deleted').waitFor()
  await expect.poll(names).toEqual(['plan.txt', 'plan.txt'])
})

test('bucket objects are not copies, and their items stay in the trash', async () => {
  const { page, client } = await openDrivePage(site, ['plan.txt'])
  const { endpoint, region, ...credentials } = await createS3Credentials(client)
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  const send = (Key: string) =>
    s3.send(new PutObjectCommand({ Bucket: 'console-backups', Key, Body: 'content of plan.txt' }))
  try {
    await s3.send(new CreateBucketCommand({ Bucket: 'console-backups' }))
    for (const key of ['laptop/plan.txt', 'phone/plan.txt']) await send(key)
  } finally {
    s3.destroy()
  }
  await page.reload()
  await link(page, 'plan.txt').waitFor()
  await goTo(page, 'Duplicates')
  await page.getByText('No duplicates').waitFor()
  await goTo(page, 'My files')
  await act(page, 'plan.txt', 'Move to trash')
  await goTo(page, 'Trash')
  await page.getByRole('button', { name: 'Delete permanently: plan.txt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Objects in S3 buckets stay').waitFor()
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('1 item stays: objects in S3 buckets have the same content.').waitFor()
  await page.getByRole('button', { name: 'Restore plan.txt' }).waitFor()
  const names = (await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)
  expect(names.sort()).toEqual(['console-backups/laptop/plan.txt', 'console-backups/phone/plan.txt'])
  // All uploads deletes the listed files, and says that the bucket loses them.
  await goTo(page, 'All uploads')
  await act(page, 'console-backups/phone/plan.txt', 'Delete')
  await page.getByRole('dialog').getByText('1 upload is in an S3 bucket and disappears from it.').waitFor()
})

test('keeps the changes of two devices that edit the drive at once, and the selection', async () => {
  const { page, context } = await openDrivePage(site, ['x.txt', 'y.txt'])
  await createFolder(page, 'ours')
  const other = await context.newPage()
  await other.goto('/files')
  await link(other, 'ours').waitFor()
  await page.getByRole('checkbox', { name: 'Select y.txt' }).check()
  await act(other, 'x.txt', 'Move')
  await other.getByRole('dialog').getByText('ours', { exact: true }).click()
  await other.getByRole('button', { name: 'Move into ours' }).click()
  await link(other, 'x.txt').waitFor({ state: 'detached' })
  // This page has not seen that change, and adds its own.
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Star' }).click()
  await link(page, 'x.txt').waitFor({ state: 'detached' })
  await page.getByText('1 selected').waitFor()
  await page.getByRole('row').filter({ hasText: 'y.txt' }).getByLabel('Starred').waitFor()
  await other.reload()
  await other.getByRole('row').filter({ hasText: 'y.txt' }).getByLabel('Starred').waitFor()
})

test('an upload of content that the drive already has shows where it is, and restores it from the trash', async () => {
  const { page } = await openDrivePage(site, ['x.txt', 'y.txt'])
  const upload = async (name: string, text: string) => {
    await page.keyboard.press('u')
    await page.setInputFiles('input[data-upload=files]', { name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await startUpload(page, 'public')
  }
  await upload('copy.txt', 'content of x.txt')
  await page.getByText('copy.txt is already stored at /x.txt').waitFor()
  expect(await link(page, 'copy.txt').count()).toBe(0)
  await act(page, 'y.txt', 'Move to trash')
  await link(page, 'y.txt').waitFor({ state: 'detached' })
  await upload('y.txt', 'content of y.txt')
  await page.getByText('y.txt restored').waitFor()
  await link(page, 'y.txt').waitFor()
  await goTo(page, 'Trash')
  await page.getByText('The trash is empty').waitFor()
})

test('an upload into a folder that was deleted meanwhile shows where it is', async () => {
  const { page, context } = await openDrivePage(site, [])
  await createFolder(page, 'gone')
  const other = await context.newPage()
  await other.goto('/files')
  await link(other, 'gone').click()
  const { promise: isTrashed, resolve: release } = Promise.withResolvers<void>()
  await other.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      await isTrashed
      await route.continue()
    },
  )
  const path = join(folder, 'late.txt')
  await writeFile(path, 'too late')
  await other.getByRole('button', { name: 'Upload' }).first().click()
  await other.setInputFiles('input[data-upload=files]', path)
  await other.getByText('Into gone').waitFor()
  await startUpload(other, 'public')
  await act(page, 'gone', 'Move to trash')
  await page.getByText('gone moved to the trash').waitFor()
  release()
  await other.getByText('1 file is in My files, because the folder no longer exists').waitFor()
  await other.getByRole('button', { name: 'Go to My files' }).click()
  await link(other, 'late.txt').waitFor()
})

test('saves a selection of public and encrypted files and folders as one ZIP, verified and decrypted', async () => {
  const { page, context, wallet, checkAccessibility } = await openDrivePage(site, ['plain.txt'])
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadEncryptedText(client, 'a secret', { name: 'secret.txt' })
  const large = randomBytes(3_000_000)
  const { cid } = await uploadBytes(client, large, { name: 'large.bin' })
  const none = new Blob([], { type: 'application/x-directory' })
  const inStored = [
    { path: 'sub/inner.txt', content: new Blob(['inner']) },
    { path: 'sub/later', content: none },
  ]
  await uploadFolder(client, inStored, { name: 'stored' })
  const inSealed = [
    { path: 'note.txt', content: 'sealed' },
    { path: 'no/files', content: none },
  ]
  await uploadEncryptedFolder(client, inSealed, { name: 'sealed', asOne: true })
  await page.reload()
  await link(page, 'stored').waitFor()
  await createFolder(page, 'bare')
  await createFolder(page, 'box')
  await act(page, 'large.bin', 'Move')
  await page.getByRole('dialog').getByText('box', { exact: true }).click()
  await page.getByRole('button', { name: 'Move into box' }).click()
  await link(page, 'large.bin').waitFor({ state: 'detached' })
  await page.evaluate(saveIntoStorage)
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' }).click()
  // The number of files in the stored folder is not known yet.
  await page.getByRole('dialog', { name: 'Download 6 items as a ZIP' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  // The download continues when its dialog is closed.
  const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>()
  await context.route(new RegExp(cid), async (route) => {
    await isClosed
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save ZIP, about 2.9 MiB' }).click()
  await page.getByText('You can close this window.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('Writing to your disk').waitFor()
  closed()
  await panel.getByText('Cairn files.zip saved').waitFor()
  expect(await checkAccessibility()).toEqual([])
  const files = readZip(await readStored(page, 'Cairn files.zip'))
  expect([...files.keys()].sort()).toEqual([
    'bare/',
    'box/large.bin',
    'plain.txt',
    'sealed/no/files/',
    'sealed/note.txt',
    'secret.txt',
    'stored/sub/inner.txt',
    'stored/sub/later/',
  ])
  expect(files.get('secret.txt')?.toString()).toBe('a secret')
  expect(files.get('stored/sub/inner.txt')?.toString()).toBe('inner')
  expect(files.get('box/large.bin')?.equals(large)).toBe(true)
})

test('starts new folders when the folder key is lost, and keeps all files', async () => {
  const opened = await site.newPage({ theme: 'dark', width: 320, height: 720 })
  const { page, open, signIn, wallet, checkAccessibility } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const other = await createKeyClient(site.network)
  await uploadText(client, 'dear Ida', { name: 'may.txt' })
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/letters')
    edit.move('/may.txt', '/letters')
  })
  const { keyCid = '' } = drive.known ?? {}
  await transferFile(client, keyCid, other.address, { resetSharedTo: true })
  await open('/files')
  await signIn()
  await page.getByText('The key of your folders is lost').waitFor()
  await link(page, 'may.txt').waitFor()
  await page.getByRole('button', { name: 'Create new folders' }).click()
  const asking = page.getByRole('dialog', { name: 'Create new folders?' })
  await asking.getByText(/No file is lost/).waitFor()
  expect(await checkAccessibility()).toEqual([])
  const saved = nextSaved(page)
  await asking.getByRole('button', { name: 'Create new folders' }).click()
  expect((await saved).name).toBe('cairn-folders.json')
  await page.getByRole('navigation', { name: 'Places' }).waitFor()
  await link(page, 'may.txt').waitFor()
  await createFolder(page, 'new letters')
  await expect.poll(async () => (await openDrive(client)).find('/new letters')?.kind).toBe('folder')
})

test('does not report damaged folders as older once this browser remembers no newer ones', async () => {
  const { page, context, checkAccessibility } = await openDrivePage(site, ['a.txt'])
  await createFolder(page, 'letters')
  const isDrive = (url: URL) => url.pathname === '/api/drive'
  await context.route(isDrive, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), parts: [] } })
  })
  await page.reload()
  await page.getByText('The service returned an older version of your folders').waitFor()
  await page.getByRole('button', { name: 'Use the older version' }).click()
  await page.getByText('The service returned folders that are damaged or belong to another account.').waitFor()
  await link(page, 'a.txt').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await context.unroute(isDrive)
  await page.getByRole('button', { name: 'Try again' }).click()
  await link(page, 'letters').waitFor()
})

test('a folder uploaded as one accepts no items: Move and a drop say why, and offer a new folder', async () => {
  const { page, client, checkAccessibility } = await openDrivePage(site, ['a.txt', 'b.txt'])
  const trip = 'trip to the ridge, '.repeat(6)
  await uploadFolder(client, [{ path: 'day.txt', content: 'to the ridge' }], { name: trip })
  await page.reload()
  await createFolder(page, 'letters')
  // Its row checked whether it is a folder.
  await page.getByRole('row', { name: /trip/ }).getByText('Folder', { exact: true }).waitFor({ state: 'attached' })
  await act(page, 'a.txt', 'Move')
  const dialog = page.getByRole('dialog', { name: /^Move [ab]\.txt$/ })
  expect(await dialog.getByRole('radio', { name: /^trip/ }).isDisabled()).toBe(true)
  await dialog.getByText('Uploaded as one folder', { exact: true }).waitFor()
  // A long name is truncated, so that it does not make the list wider than the dialog.
  const [inner, outer] = await Promise.all([dialog.getByRole('group').boundingBox(), dialog.boundingBox()])
  expect(inner?.width ?? 0).toBeLessThan(outer?.width ?? 0)
  await dialog.getByText('A folder that was uploaded as one keeps its CID and its files').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  // WebDriver BiDi cannot drag in Firefox.
  if (isFirefox) return

  await link(page, 'b.txt').hover()
  await page.mouse.down()
  await link(page, trip).hover()
  await link(page, trip).hover()
  await page.getByText('Uploaded as one folder, so nothing can be moved into it', { exact: true }).waitFor()
  await page.mouse.up()
  await dialog.getByText(/^Nothing can be moved into “trip to .+”: /).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByRole('textbox', { name: 'Name of the new folder in My files' }).fill('trips')
  await dialog.getByRole('button', { name: 'Create and move' }).click()
  await page.getByText('b.txt moved to trips').waitFor()
  await link(page, 'b.txt').waitFor({ state: 'detached' })
})
