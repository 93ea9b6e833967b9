// What opens over pages and is in no other walk: dialogs about people and links, menus, questions and messages.
import {
  createUploadLink,
  openDrive,
  transferFile,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadText,
  uploadWithLink,
} from '@cairn/sdk'
import { test } from 'vitest'
import { startUpload } from '../start-upload.ts'
import { createAccountClient } from '../wallet-client.ts'
import { close, type Looks, longTestMs, signInAt, visit } from './looks.ts'

const ida = `0x${'12'.repeat(20)}`
const refuse = `() => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))`

export function testOverlays(looks: Looks): void {
  test('contacts, and what links for visitors show and ask', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page, context } = opened
    const client = await createAccountClient(site.network, opened.wallet.accounts[0])
    await uploadText(client, 'between us', { name: 'letter.txt', private: true })
    const { cid } = await uploadEncryptedText(client, 'a secret', { name: 'secret.txt' })
    await signInAt(opened, '/shared?by=contacts')
    await page.getByRole('button', { name: 'Add contact' }).waitFor()
    await look(opened, 'no contacts')
    await page.getByRole('button', { name: 'Add contact' }).click()
    const adding = page.getByRole('dialog', { name: 'Add contact' })
    await adding.getByRole('button', { name: 'Save' }).click()
    await adding.getByText('Enter a valid address.').waitFor()
    await look(opened, 'a contact without an address')
    await adding.getByLabel('Address').fill(ida)
    await adding.getByLabel('Label').fill('Ida with a rather long label, for a narrow window')
    await adding.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('list', { name: 'Contacts' }).waitFor()
    await look(opened, 'contacts')

    await visit(opened, '/files')
    await page.getByRole('button', { name: 'Actions for letter.txt' }).click()
    await page.getByRole('menuitem', { name: 'Copy link that expires' }).click()
    await page.getByRole('dialog').getByRole('radio', { name: '1 day' }).waitFor()
    await look(opened, 'a link that expires')
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    await page
      .getByRole('dialog', { name: 'Link ready' })
      .or(page.getByRole('button', { name: 'Copy link' }))
      .first()
      .waitFor()
    await look(opened, 'a new link that expires')
    await close(opened)

    await visit(opened, `/files/${cid}/access`)
    await page.getByRole('button', { name: 'Create a link' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog', { name: 'Link ready' }).waitFor()
    await close(opened)
    await page.getByRole('list', { name: 'Links' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).waitFor()
    await look(opened, 'revoking a link')
    await close(opened)

    const upload = await createUploadLink(client, { maxUploads: 2, maxFileBytes: 2000, label: 'photos' })
    const visitor = await site.newPage({ accounts: 0 })
    await visit(visitor, upload.url.slice(new URL(upload.url).origin.length))
    await visitor.page.getByRole('button', { name: 'Choose files' }).waitFor()
    await look(visitor, 'the page of an upload link')
    const file = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'a') })
    await visitor.page.locator('input[type=file]').setInputFiles([file('sent.txt', 20), file('large.txt', 2001)])
    await visitor.page.getByText('1 file sent').waitFor()
    await visitor.page.getByRole('listitem').filter({ hasText: 'large.txt' }).getByRole('alert').waitFor()
    await look(visitor, 'a file that an upload link accepts, and one that it rejects')
    await uploadWithLink(upload.url, new Blob(['last']), { name: 'last.txt' })
    await visitor.page.reload()
    await visitor.page.getByRole('heading', { name: 'This link has been used up' }).waitFor()
    await look(visitor, 'an upload link that is used up')
    await visit(opened, '/links')
    await page.getByRole('list', { name: 'Upload links' }).getByText('photos').first().waitFor()
    await look(opened, 'an upload link with files')
    await page.getByRole('button', { name: 'New upload link' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog', { name: 'Link ready' }).waitFor()
    await look(opened, 'a new upload link, shown once')
    await close(opened)
    await page.getByRole('button', { name: 'Revoke' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).waitFor()
    await look(opened, 'revoking an upload link')
    await close(opened)

    await context.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: ${refuse} } })`)
    await visit(opened, '/files')
    await page.getByRole('button', { name: 'Actions for secret.txt' }).click()
    await page.getByRole('menuitem', { name: 'Copy CID' }).click()
    await page.getByRole('dialog', { name: 'Not copied' }).waitFor()
    await look(opened, 'a text that is not copied')
    await close(opened)
  })

  test('menus, questions and messages over the drive', {
    timeout: longTestMs,
  }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page } = opened
    const client = await createAccountClient(site.network, opened.wallet.accounts[0])
    for (const name of ['one.txt', 'two.txt']) await uploadEncryptedText(client, `content of ${name}`, { name })
    await uploadEncryptedFolder(client, [{ path: 'sub/inner.txt', content: 'inner' }], { name: 'chest', asOne: true })
    const drive = await openDrive(client)
    await drive.change((edit) => {
      edit.tag('/one.txt', 'family')
      edit.createFolder('/letters')
    })
    await signInAt(opened, '/files')
    await visit(opened, '/files?view=grid')
    await page.getByRole('link', { name: 'one.txt' }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    await look(opened, 'the context menu of a tile')
    await close(opened)
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ControlOrMeta+a')
    await look(opened, 'selected tiles')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Star' }).waitFor()
    await look(opened, 'the menu of a selection')
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await page.getByRole('dialog').getByLabel('Addresses').waitFor()
    await look(opened, 'sharing a selection')
    await close(opened)
    await visit(opened, '/files')
    await page.getByRole('button', { name: '#family' }).click()
    await look(opened, 'one tag')
    await page.getByRole('button', { name: 'Actions for one.txt' }).click()
    await page.getByRole('menuitem', { name: 'Move to trash' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await look(opened, 'a message with Undo')
    await visit(opened, '/files?place=trash')
    await page.getByRole('button', { name: 'Delete permanently: one.txt' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).waitFor()
    await look(opened, 'deleting one item permanently')
    await close(opened)
    await visit(opened, '/files')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('combobox').fill('nothing fits this')
    await page.getByRole('dialog').getByText('No results', { exact: true }).waitFor()
    await look(opened, 'a palette without results')
    await close(opened)
    await page.getByRole('grid').getByRole('link', { name: 'two.txt' }).click()
    await page.getByRole('dialog').getByText('content of two.txt').waitFor()
    await look(opened, 'an encrypted file of the drive')
    await visit(opened, '/files')
    await page.getByRole('grid').getByRole('link', { name: 'chest' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'sub' }).waitFor()
    await look(opened, 'an encrypted folder')

    await visit(opened, '/files')
    const held = Promise.withResolvers<void>()
    opened.expectProblem(/ERR_FAILED/)
    await page.route('**/api/v0/add*', async (route) => {
      await held.promise
      await route.abort().catch(() => undefined)
    })
    await page.keyboard.press('u')
    // More than run at the same time.
    const files = [1, 2, 3, 4, 5, 6].map((at) => ({
      name: `${at}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`${at}`),
    }))
    await page.setInputFiles('input[data-upload=files]', files)
    await startUpload(page, 'encrypted')
    const panel = page.getByRole('region', { name: 'Transfers' })
    await panel.getByText('Queued', { exact: true }).first().waitFor()
    await look(opened, 'uploads that run and wait')
    await panel.getByRole('button', { name: 'Cancel all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel all' }).waitFor()
    await look(opened, 'cancelling all uploads')
    await close(opened)
    await page.reload()
    await panel
      .getByText(/^Unfinished/)
      .first()
      .waitFor()
    await look(opened, 'uploads of an earlier page')
    await panel.getByRole('button', { name: 'Cancel all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel all' }).click()
    await panel.getByRole('button', { name: 'Cancel all' }).waitFor({ state: 'detached' })
    held.resolve()
  })

  test('what a visitor without access, and a network with faults, show', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page, wallet } = opened
    opened.expectProblem(/status of 500/)
    const [account] = wallet.accounts
    const stranger = await site.newPage()
    const client = await createAccountClient(site.network, account)
    const { cid } = await uploadEncryptedText(client, 'a secret', { name: 'secret.txt' })
    await signInAt(stranger, `/open/${cid}`)
    await stranger.page.getByText('You don’t have access to this file').waitFor()
    await look(stranger, 'a file without access')
    wallet.rejectNext('personal_sign')
    await opened.open('/files')
    await page.getByRole('button', { name: 'Connect wallet' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
    await page.getByText('You rejected the signature.').first().waitFor()
    await look(opened, 'a signature that was declined')
    await close(opened)
    const other = await site.newPage()
    const owner = await createAccountClient(site.network, other.wallet.accounts[0])
    await uploadText(owner, 'dear Ida', { name: 'may.txt' })
    const drive = await openDrive(owner)
    await drive.change((edit) => edit.createFolder('/letters'))
    await transferFile(owner, drive.known?.keyCid ?? '', ida, { resetSharedTo: true })
    await signInAt(other, '/files')
    await other.page.getByText('The key of your folders is lost').waitFor()
    await look(other, 'folders whose key is lost')
    await other.page.getByRole('button', { name: 'Create new folders' }).click()
    await other.page.getByRole('dialog', { name: 'Create new folders?' }).waitFor()
    await look(other, 'creating new folders')
    const broken = await site.newPage({ accounts: 0 })
    broken.expectProblem(/status of 500/)
    await broken.page.route('**/.well-known/cairn.json', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'INTERNAL', message: 'Something broke', details: {} } } }),
    )
    await broken.open('/')
    await broken.page.getByRole('alert').waitFor()
    await look(broken, 'a page without a network')
  })
}
