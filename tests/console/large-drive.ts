// The drive of an account with very many files: the first ones at once, all of them soon, and few rows in the page.
import { openDrive } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRows } from './add-rows.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { act } from './drive-page.ts'
import { createAccountClient } from './wallet-client.ts'

/** Defines the test of a drive with this many files, above one page of the listing. */
export function testLargeDrive(fileCount: number): void {
  const shown = fileCount.toLocaleString('en-US')
  let site: ConsoleTest
  beforeAll(async () => {
    site = await openConsoleTest({ environment: { CAIRN_RATE_FACTOR: '0' } })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  const link = (page: ConsolePage['page'], name: string) =>
    page.getByRole('grid').getByRole('link', { name, exact: true })

  test(`lists, selects and searches ${fileCount} files with few rows in the page`, {
    timeout: 300_000,
  }, async () => {
    const { page, wallet, open, signIn } = await site.newPage()
    page.setDefaultTimeout(200_000)
    await open('/files')
    await signIn()
    await page.getByRole('button', { name: 'New folder' }).waitFor()
    await addRows(site.network, wallet.accounts[0]?.address.toLowerCase() ?? '', fileCount)
    const drive = await openDrive(await createAccountClient(site.network, wallet.accounts[0]))
    await drive.change((edit) => {
      edit.createFolder('/old')
      edit.move('/file-00000.txt', '/old')
    })

    // The rest of the listing waits until the newest files are visible.
    const { promise: isShown, resolve: showRest } = Promise.withResolvers<void>()
    await page.route(/files_uploaded\?.*lastKey=/, async (route) => {
      await isShown
      await route.continue()
    })
    await page.reload()
    await page.getByText('Listing your files. The newest 2,000 are shown.').waitFor()
    await page.getByRole('grid').getByRole('link').first().waitFor()
    // Nothing is shown as empty that may not be.
    const listing = page.getByText('Your files are still being listed, and more may appear here.')
    for (const place of ['Trash', 'Duplicates']) {
      await page.getByRole('link', { name: place, exact: true }).click()
      await listing.waitFor()
      expect(await page.getByText(/^(The trash is empty|No duplicates)$/).count()).toBe(0)
    }
    await page.getByRole('link', { name: 'My files', exact: true }).click()
    await link(page, 'old').click()
    await listing.waitFor()
    expect(await page.getByText('This folder is empty').count()).toBe(0)
    await page.goBack()
    // The contents of a folder are not known yet, so a ZIP of it would lack files.
    await act(page, 'old', 'Download')
    const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
    await dialog.getByText('Your files are still being listed').waitFor()
    expect(await dialog.getByRole('button', { name: /^Save ZIP/ }).count()).toBe(0)
    showRest()
    await page.getByRole('dialog', { name: 'Download 1 file as a ZIP' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(`${shown} items`).waitFor()

    const rows = () => page.locator('[role=row]').count()
    expect(await rows()).toBeLessThanOrEqual(60)
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    await link(page, `file-${String(fileCount - 1).padStart(5, '0')}.txt`).waitFor()
    expect(await rows()).toBeLessThanOrEqual(60)
    await page.keyboard.press('Control+a')
    await page.getByText(`${shown} selected`).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').fill('file-0123')
    await page.getByText('10 items').waitFor()

    // The next page of the session has all of them before the service lists more than the newest.
    const keptBytes = `new Promise((resolve) => {
      const opening = indexedDB.open('cairn-listing')
      opening.onsuccess = () => {
        const read = opening.result.transaction('uploads').objectStore('uploads').get('latest')
        read.onsuccess = () => { opening.result.close(); resolve(read.result?.sealed.byteLength ?? 0) }
      }
    })`
    await expect.poll(() => page.evaluate(keptBytes), { timeout: 60_000 }).toBeGreaterThan(fileCount * 100)
    const { promise: isOver, resolve: endListing } = Promise.withResolvers<void>()
    await page.unrouteAll()
    await page.route(/files_uploaded\?.*lastKey=/, async (route) => {
      await isOver
      await route.continue()
    })
    await page.goto('/files')
    await page.getByText(`${shown} items`).waitFor()
    endListing()
    await page.unrouteAll({ behavior: 'wait' })
  })
}
