// Folders, marks, versions, the trash and copies, with their dialogs, and the palette. Also in German, whose texts are longer.
import { openDrive, uploadEncryptedText, uploadText } from '@cairn/sdk'
import { test } from 'vitest'
import { createAccountClient } from '../wallet-client.ts'
import { close, type Looks, longTestMs, visit } from './looks.ts'

/** The names of what the tests press, in each language. */
const words = {
  en: {
    ...{ newFolder: 'New folder', move: 'Move', labels: 'Tags and colour', versions: 'Versions' },
    ...{ download: 'Download', empty: 'Empty trash', removeCopies: /^Remove copies/, actionsFor: 'Actions for' },
  },
  de: {
    ...{ newFolder: 'Neuer Ordner', move: 'Verschieben', labels: 'Tags und Farbe', versions: 'Versionen' },
    ...{ download: 'Herunterladen', empty: 'Papierkorb leeren', removeCopies: /^Kopien entfernen/ },
    ...{ actionsFor: 'Aktionen für' },
  },
} as const

export function testDrive(looks: Looks): void {
  for (const language of ['en', 'de'] as const) {
    test(`the drive and what opens over it (${language})`, { timeout: longTestMs }, async () => {
      const { site, look } = looks
      const opened = await site.newPage()
      const { page } = opened
      const lookAt = (state: string) => look(opened, `${state} (${language})`)
      const client = await createAccountClient(site.network, opened.wallet.accounts[0])
      for (const [name, text] of [
        ['report.txt', 'one'],
        ['report.txt', 'two'],
        ['twice.txt', 'the same'],
        ['again.txt', 'the same'],
        ['old.txt', 'old'],
      ] as const) {
        await uploadText(client, text, { name })
      }
      await uploadEncryptedText(client, 'Dear Ida', { name: 'letter.txt' })
      const drive = await openDrive(client)
      const long = 'A folder with a very long name '.repeat(6).trim()
      await drive.change((edit) => {
        for (const path of [`/${long}`, '/letters', '/letters/empty']) edit.createFolder(path)
        edit.move('/letter.txt', '/letters')
        edit.star('/report.txt')
        for (const tag of ['family', 'a tag with a rather long name']) edit.tag('/report.txt', tag)
        edit.setColour('/letters', 'red')
        edit.trash('/old.txt')
      })
      const word = words[language]
      await opened.open('/files')
      await opened.signIn()
      await page.evaluate(`localStorage.setItem('cairn.settings', '{"language":"${language}"}')`)
      const act = async (name: string, action: string) => {
        await page.getByRole('button', { name: `${word.actionsFor} ${name}` }).click()
        await page.getByRole('menuitem', { name: action, exact: true }).click()
        await page.getByRole('dialog').getByRole('heading').first().waitFor()
      }
      await visit(opened, '/files')
      await lookAt('folders and marks')
      await page.getByRole('button', { name: word.newFolder }).click()
      await page.getByRole('dialog').getByRole('textbox').waitFor()
      await lookAt('a new folder')
      await close(opened)
      for (const action of [word.move, word.labels, word.download]) {
        await act(long, action)
        await lookAt(`${action} of a folder`)
        await close(opened)
      }
      for (const action of [word.versions, word.labels]) {
        await act('report.txt', action)
        await lookAt(`${action} of a file`)
        await close(opened)
      }
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog').getByRole('combobox').waitFor()
      await lookAt('the palette')
      await close(opened)
      await visit(opened, `/files?folder=${drive.find('/letters')?.id}`)
      await lookAt('a folder')
      await visit(opened, `/files?folder=${drive.find('/letters/empty')?.id}`)
      await lookAt('an empty folder')
      await visit(opened, `/files?folder=d-${'a'.repeat(22)}`)
      await lookAt('a folder that is gone')
      for (const place of ['starred', 'uploads', 'trash', 'duplicates']) {
        await visit(opened, `/files?place=${place}`)
        await lookAt(place)
      }
      await page.getByRole('button', { name: word.removeCopies }).first().click()
      await page.getByRole('dialog').getByText('again.txt').waitFor()
      await lookAt('removing copies')
      await close(opened)
      await visit(opened, '/files?place=trash')
      await page.getByRole('button', { name: word.empty }).click()
      await page.getByRole('dialog').getByText('old.txt').waitFor()
      await lookAt('emptying the trash')
      await close(opened)
    })
  }
}
