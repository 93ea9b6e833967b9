// The list of files, and what opens over it.
import { createClient, uploadFolder, uploadText } from '@cairn/sdk'
import { test } from 'vitest'
import { close, type Looks, longTestMs, narrow, signInAt, visit } from './looks.ts'

export function testFiles(looks: Looks): void {
  test('files: the list and what opens over it', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page } = opened
    const apiKey = await signInAt(opened, '/files')
    await page.getByText('Nothing here yet').waitFor()
    await look(opened, 'no files')
    const client = createClient({ network: site.network.profile, apiKey })
    const long = `${'A very long name without an end '.repeat(6)}.txt`
    const { cid } = await uploadText(client, 'some text', { name: long })
    const folder = await uploadFolder(
      client,
      [
        { path: 'notes/read me.txt', content: new Blob(['Notes on stones\n']) },
        { path: 'notes/deep/unknown.bin', content: new Blob([new Uint8Array([0, 1, 2])]) },
      ],
      { name: 'things' },
    )
    for (const path of ['/files', '/files?view=grid', '/files?q=nothing-fits-this']) {
      await visit(opened, path)
      await look(opened, path)
    }
    await visit(opened, '/files')
    await page.getByRole('checkbox', { name: 'Select things' }).check()
    await look(opened, 'a selection')
    await page.getByRole('button', { name: 'Actions for things' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    await look(opened, 'the menu of a file')
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'New name' }).fill('')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await look(opened, 'renaming to nothing')
    await close(opened)
    await visit(opened, '/files?place=uploads')
    await page.getByRole('checkbox', { name: 'Select things' }).check()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Delete')
    await page.getByRole('heading', { name: 'Delete this folder?' }).waitFor()
    await look(opened, 'deleting')
    await close(opened)
    await page.getByRole('button', { name: 'Actions for things' }).click()
    await page.getByRole('menuitem', { name: 'Publish to a name' }).click()
    await page.getByRole('dialog').getByLabel('Label').waitFor()
    await look(opened, 'publishing to a new name')
    await close(opened)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await look(opened, 'shortcuts')
    await close(opened)
    await page.getByRole('button', { name: /^Account 0x/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).waitFor()
    await look(opened, 'account')
    await close(opened)
    await page.setViewportSize(narrow)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('dialog', { name: 'More' }).waitFor()
    await look(opened, 'more places')
    for (const path of [
      ...['', '?tab=details', '?tab=access', '?tab=proofs', '?tab=names'].map((tab) => `/files/${cid}${tab}`),
      `/files/${folder.cid}`,
      `/files/${folder.cid}/notes/deep`,
      `/files/${folder.cid}/notes/read%20me.txt`,
      `/files/${folder.cid}/notes/deep/unknown.bin`,
      `/open/${cid}`,
    ]) {
      await visit(opened, path)
      await look(opened, path)
    }
  })
}
