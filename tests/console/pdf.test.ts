// PDF files are drawn page by page by a reader that is loaded for it, and run nothing.
import { uploadBytes, uploadEncryptedBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** A PDF of pages with one line each, which would like to run a script and open an address. @see ISO 32000-1, 7.5 */
function makePdf(lines: readonly string[]): Uint8Array {
  const pages = lines.map((_line, i) => `${5 + i * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /OpenAction 4 0 R >>',
    `<< /Type /Pages /Kids [${pages}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /S /JavaScript /JS (app.alert\\("run"\\); this.submitForm\\("https://example.org"\\)) >>',
    ...lines.flatMap((line, i) => {
      const content = `0.1 0.2 0.8 rg 20 20 100 60 re f BT /F1 24 Tf 20 120 Td (${line}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + i * 2} 0 R /AA << /O 4 0 R >> /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 300 200] /A << /S /URI /URI (https://example.org/) >> >>] >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ]
  let text = '%PDF-1.7\n'
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const start = text.length
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return new TextEncoder().encode(text)
}

/** Whether the page's canvas shows the blue field of the page. */
function hasBlue({ page }: ConsolePage): Promise<boolean> {
  return page.evaluate(
    `(() => { const c = document.querySelector('canvas'); if (c === null) return false
      const { data } = c.getContext('2d').getImageData(Math.floor(c.width * 0.2), Math.floor(c.height * 0.75), 1, 1)
      return data[2] > 150 && data[0] < 80 })()`,
  )
}

test('a public PDF is drawn page by page, with its text for readers of the page, by keyboard, and runs nothing', async () => {
  const opened = await site.newPage()
  const { page, wallet, open, checkAccessibility } = opened
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadBytes(client, makePdf(['First stone', 'Second stone', 'Third stone']), {
    name: 'way.pdf',
  })
  await open(`/open/${cid}`)
  await page.getByText('First stone').waitFor({ state: 'attached' })
  await expect.poll(() => hasBlue(opened)).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('Second stone').waitFor({ state: 'attached' })
  await page.getByRole('region', { name: 'Pages of way.pdf' }).focus()
  await page.keyboard.press('End')
  await page.getByText('Third stone').waitFor({ state: 'attached' })
  expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
  await page.keyboard.press('PageUp')
  await page.getByText('Second stone').waitFor({ state: 'attached' })
  const widthOf = async () => (await page.locator('canvas').boundingBox())?.width ?? 0
  const before = await widthOf()
  await page.keyboard.press('+')
  await expect.poll(widthOf).toBeGreaterThan(before * 1.2)
  // The old number is deleted first, as people do.
  const number = page.getByRole('spinbutton', { name: 'Page' })
  await number.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.type('1')
  await page.getByText('First stone').waitFor({ state: 'attached' })
  await page.keyboard.type('9')
  await page.getByText('Third stone').waitFor({ state: 'attached' })
  await page.keyboard.press('Tab')
  expect(await number.inputValue()).toBe('3')
  expect(dialogs).toEqual([])
  expect(await page.evaluate('document.querySelectorAll("iframe, embed, object").length')).toBe(0)
})

test('an encrypted PDF is drawn from what was decrypted here; a damaged one says so', async () => {
  const opened = await site.newPage({ width: 360, height: 740, theme: 'dark' })
  const { page, wallet, open, signIn, checkAccessibility } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedBytes(client, makePdf(['Only for you']), { name: 'secret.pdf' })
  const broken = await uploadBytes(client, new TextEncoder().encode('%PDF-1.7\nnothing'), { name: 'broken.pdf' })
  await open('/files')
  await signIn()
  await open(`/files/${cid}`)
  await page.getByText('Only for you').waitFor({ state: 'attached', timeout: 60_000 })
  await expect.poll(() => hasBlue(opened)).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await open(`/files/${broken.cid}`)
  await page.getByText('The browser cannot show this file').waitFor()
})
