// PDF files are drawn page by page by a reader that is loaded on demand, and run nothing.
import { uploadBytes, uploadEncryptedBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { makeEndlessPdf, makePdf, makeProtectedPdf, makeScannedPdf } from './pdf-files.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Whether the page's canvas shows the blue field of the page. */
function hasBlue({ page }: ConsolePage): Promise<boolean> {
  return page.evaluate(
    `(() => { const c = document.querySelector('canvas'); if (c === null) return false
      const { data } = c.getContext('2d').getImageData(Math.floor(c.width * 0.2), Math.floor(c.height * 0.75), 1, 1)
      return data[2] > 150 && data[0] < 80 })()`,
  )
}

test('draws a public PDF page by page, with its text for screen readers, usable by keyboard, and runs nothing', async () => {
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
  const line = page.getByText('First stone')
  await line.waitFor()
  await expect.poll(() => hasBlue(opened)).toBe(true)
  // The text lies where its letters are drawn, and can be selected.
  const sheet = await page.locator('canvas').first().boundingBox()
  const box = await line.boundingBox()
  if (sheet === null || box === null) throw new Error('nothing is drawn')
  expect((box.x - sheet.x) / sheet.width).toBeCloseTo(20 / 300, 2)
  expect((box.y + box.height * 0.8 - sheet.y) / sheet.height).toBeCloseTo(80 / 200, 1)
  await page.mouse.move(box.x + 1, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
  expect(await page.evaluate('getSelection().toString().trim()')).toBe('First stone')
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('Second stone').waitFor({ state: 'attached' })
  await page.getByRole('region', { name: 'Pages of way.pdf' }).focus()
  await page.keyboard.press('End')
  await page.getByText('Third stone').waitFor({ state: 'attached' })
  expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
  await page.keyboard.press('PageUp')
  await page.getByText('Second stone').waitFor({ state: 'attached' })
  const widthOf = async () => (await page.locator('canvas').first().boundingBox())?.width ?? 0
  const before = await widthOf()
  await page.keyboard.press('+')
  await expect.poll(widthOf).toBeGreaterThan(before * 1.2)
  // The old number is deleted first, as users do.
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

test('draws an encrypted PDF from the bytes decrypted here, and reports a damaged one', async () => {
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

/** Brightness of the canvas at places of its width and height, from 0 to 255. */
function readBrightness({ page }: ConsolePage, places: readonly (readonly [number, number])[]): Promise<number[]> {
  return page.evaluate((wanted) => {
    const canvas = document.querySelector('canvas')
    const context = canvas?.getContext('2d')
    if (canvas === null || !context) return []
    return wanted.map(([x, y]) => {
      const { data } = context.getImageData(Math.floor(canvas.width * x), Math.floor(canvas.height * y), 1, 1)
      return Math.round(((data[0] ?? 0) + (data[1] ?? 0) + (data[2] ?? 0)) / 3)
    })
  }, places)
}

test('draws scanned pages of each encoding, and Japanese text without its font', async () => {
  const opened = await site.newPage()
  const { page, wallet, open } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadBytes(client, makeScannedPdf(), { name: 'scan.pdf' })
  await open(`/open/${cid}`)
  await page.getByText('日本語').waitFor({ state: 'attached' })
  // The dark and the bright half of each image.
  const places = [0.25, 0.75].flatMap((half) => [0, 1, 2].map((image) => [(image + half) / 3, 0.75] as const))
  await expect
    .poll(async () => (await readBrightness(opened, places)).map((brightness) => brightness > 128))
    .toEqual([false, false, false, true, true, true])
})

test('asks for the password of a PDF, reports a wrong one, and opens it', async () => {
  const { page, wallet, open, checkAccessibility } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const file = makeProtectedPdf('Behind the door', 'sesame')
  const { cid } = await uploadBytes(client, file, { name: 'protected.pdf' })
  await open(`/open/${cid}`)
  const field = page.getByLabel('Password of this PDF')
  await field.waitFor()
  expect(await checkAccessibility()).toEqual([])
  const openIt = page.getByRole('button', { name: 'Open PDF' })
  await openIt.click()
  await page.getByText('Enter the password.').waitFor()
  await field.fill('open')
  await openIt.click()
  await page.getByText('Wrong password.').waitFor()
  await field.fill('sesame')
  await field.press('Enter')
  await page.getByText('Behind the door').waitFor({ state: 'attached' })
})

// Playwright lists no workers of Firefox.
test.skipIf(isFirefox)(
  'stops a PDF that computes endlessly at its time limit, and when its page is closed',
  async () => {
    const { page, wallet, open } = await site.newPage()
    const client = await createAccountClient(site.network, wallet.accounts[0])
    const { cid } = await uploadBytes(client, makeEndlessPdf('Never seen'), { name: 'endless.pdf' })
    const readers = () => page.workers().filter((worker) => worker.url().includes('pdf')).length
    await page.clock.install()
    await open(`/open/${cid}`)
    await page.getByRole('button', { name: 'Next page' }).waitFor()
    expect(readers()).toBe(1)
    await page.clock.runFor(31_000)
    await page.getByText('Page 1 cannot be shown.').waitFor()
    await page.clock.runFor(3_000)
    await page.getByText('The browser cannot show this file').waitFor()
    await page.clock.runFor(3_000)
    await expect.poll(readers).toBe(0)

    await page.reload()
    await page.getByRole('button', { name: 'Next page' }).waitFor()
    expect(readers()).toBe(1)
    await page.getByRole('link', { name: 'Cairn' }).first().click()
    await page.clock.runFor(3_000)
    await expect.poll(readers).toBe(0)
  },
)
