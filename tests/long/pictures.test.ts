// Ten states of the console, compared with stored pictures. Browser and fonts come from the lockfile, so that they are drawn the
// same everywhere.
import { createLink, uploadBytes, uploadEncryptedText, uploadFolder, uploadText } from '@cairn/sdk'
import type { Locator } from 'playwright'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from '../console/console.fixture.ts'
import { drawHills } from '../console/draw-hills.ts'
import { startUpload } from '../console/start-upload.ts'
import { createAccountClient } from '../console/wallet-client.ts'
import { comparePicture } from './compare-picture.ts'

const phone = { width: 390, height: 844, theme: 'dark', isPhone: true } as const
/** A separate address for each test: one has no files when it starts. */
const accounts = {
  wide: privateKeyToAccount(`0x${'11'.repeat(32)}`),
  phone: privateKeyToAccount(`0x${'22'.repeat(32)}`),
}
const sizes = { wide: {}, phone } as const

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Parts that differ each time. */
function changing(page: ConsolePage['page']) {
  return [
    page.locator('time'),
    page.locator('dl'),
    page.locator('code'),
    page.getByRole('button', { name: /^Copy / }),
    page.getByText(/^baf\w+/),
  ]
}

async function addFiles({ wallet }: ConsolePage) {
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const notes =
    '# Field notes\n\nThe path is marked with stones.\n\n- first\n- second\n\n```ts\nconst stones = 7\n```\n'
  await uploadText(client, 'day,stones\n1,7\n', { name: 'Budget 2026.csv', mimeType: 'text/csv' })
  await uploadFolder(client, [{ path: 'plan.txt', content: new Blob(['Up the hill']) }], { name: 'Route' })
  await uploadBytes(client, drawHills(1), { name: 'Valley at dawn.png', mimeType: 'image/png' })
  await uploadBytes(client, drawHills(2), { name: 'Cairn on the pass.png', mimeType: 'image/png' })
  await uploadText(client, notes, { name: 'Field notes.md', mimeType: 'text/markdown' })
  return client
}

for (const size of ['wide', 'phone'] as const) {
  test(`the states of a ${size} page look as before`, async () => {
    const opened = await site.newPage({ ...sizes[size], accounts: [accounts[size]] })
    const { page, open, signIn } = opened
    const look = async (name: string, mask: Locator[] = []) =>
      expect.soft(await comparePicture(page, `${name}-${size}`, [...changing(page), ...mask])).toEqual([])
    // Times are relative to one moment, however long the test takes.
    await page.clock.setFixedTime(Date.now())
    await open('/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look('welcome')
    await open('/files')
    await signIn()
    await page.getByText('Nothing here yet').waitFor()
    // It is loaded after the page.
    await page.getByRole('button', { name: 'Notifications' }).waitFor()
    await look('no-files')
    const client = await addFiles(opened)
    await page.reload()
    await page.getByRole('link', { name: 'Field notes.md' }).waitFor()
    await look('files')
    await page.getByRole('link', { name: 'Field notes.md' }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Field notes', exact: true }).waitFor()
    await look('file')
    const letter = await uploadEncryptedText(client, 'Dear Ida', { name: 'letter.txt' })
    const link = await createLink(client, letter.cid, { name: 'letter.txt', label: 'for Ida', maxOpens: 3 })
    await open(link.url.slice(new URL(link.url).origin.length))
    await page.getByRole('heading', { name: 'A file or folder was shared with you' }).waitFor()
    await look('link')
    if (size === 'phone') return

    await open('/files?view=grid')
    await page.getByRole('gridcell').locator('img').nth(1).waitFor()
    await expect
      .poll(() =>
        page
          .getByRole('gridcell')
          .locator('img')
          .evaluateAll((all) => all.every((one) => Reflect.get(one, 'complete'))),
      )
      .toBe(true)
    await look('grid')
    await page.keyboard.press('u')
    await page.setInputFiles('input[data-upload=files]', [
      { name: 'ridge.txt', mimeType: 'text/plain', buffer: Buffer.from('ridge') },
      { name: 'route.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from('<gpx/>') },
    ])
    await page.getByRole('textbox', { name: 'Name of route.gpx' }).waitFor()
    await look('upload')
    await startUpload(page, 'public')
    await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).nth(1).waitFor()
    await look('transfers')
    await open(`/files/${letter.cid}/access`)
    await page.getByRole('heading', { name: 'Key nodes' }).waitFor()
    // The key of an encrypted file is random, so its CID is, too.
    await look('access', [page.locator('h1 ~ *').first()])
    await open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look('settings')
  })
}
