// The page of all calls in a real browser, under the policy it is served with.
import { chromium } from 'playwright'
import { expect, test } from 'vitest'
import { createTestNetwork } from '../fixtures.ts'

test('/docs shows every call and can try one, without a word of complaint from the browser', async () => {
  await using network = await createTestNetwork()
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('requestfailed', (request) => complaints.push(request.url()))
    await page.goto(`${network.profile.api}/docs`)
    await page.waitForSelector('.opblock')
    const document: unknown = await (await fetch(`${network.profile.api}/openapi.json`)).json()
    const operations = JSON.stringify(document).match(/"operationId"/g) ?? []
    expect(await page.locator('.opblock').count()).toBe(operations.length)
    const health = page.locator('#operations-Service-getHealth')
    await health.click()
    await health.locator('.execute').click()
    await health.locator('.live-responses-table').waitFor()
    expect(await health.locator('.live-responses-table .response-col_status').last().innerText()).toContain('200')
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
