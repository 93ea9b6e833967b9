// The drive of an account with very many files: the first ones at once, all of them soon, and few rows in the page.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRows } from './add-rows.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'

/** Fifty thousand rows are 25 pages of the listing. */
const fileCount = 50_000

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ environment: { CAIRN_RATE_FACTOR: '0' } })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const link = (page: ConsolePage['page'], name: string) =>
  page.getByRole('grid').getByRole('link', { name, exact: true })

test('fifty thousand files are listed, selected and searched with few rows in the page', {
  timeout: 300_000,
}, async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  page.setDefaultTimeout(200_000)
  await open('/files')
  await signIn()
  await page.getByRole('button', { name: 'New folder' }).waitFor()
  await addRows(site.network, wallet.accounts[0]?.address.toLowerCase() ?? '', fileCount)

  // The rest of the listing waits until the newest files are in sight.
  const { promise: isShown, resolve: showRest } = Promise.withResolvers<void>()
  await page.route(/files_uploaded\?.*lastKey=/, async (route) => {
    await isShown
    await route.continue()
  })
  await page.reload()
  await page.getByText('Listing your files. The newest 2,000 are shown.').waitFor()
  await page.getByRole('grid').getByRole('link').first().waitFor()
  showRest()
  await page.getByText('50,000 files').waitFor()

  const rows = () => page.locator('[role=row]').count()
  expect(await rows()).toBeLessThanOrEqual(60)
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await link(page, 'file-49999.txt').waitFor()
  expect(await rows()).toBeLessThanOrEqual(60)
  await page.keyboard.press('Control+a')
  await page.getByText('50,000 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill('file-1234')
  await page.getByText('10 files').waitFor()

  // The next page of the session has all of them before the service lists any but the newest.
  await page.waitForFunction(
    `new Promise((resolve) => {
      const opening = indexedDB.open('cairn-listing')
      opening.onsuccess = () => {
        const database = opening.result
        if (!database.objectStoreNames.contains('uploads')) return database.close(), resolve(false)
        const read = database.transaction('uploads').objectStore('uploads').count()
        read.onsuccess = () => { database.close(); resolve(read.result === 1) }
      }
    })`,
  )
  const { promise: isOver, resolve: endListing } = Promise.withResolvers<void>()
  await page.unrouteAll()
  await page.route(/files_uploaded\?.*lastKey=/, async (route) => {
    await isOver
    await route.continue()
  })
  await page.goto('/files')
  await page.getByText('50,000 files').waitFor()
  endListing()
  await page.unrouteAll({ behavior: 'wait' })
})
