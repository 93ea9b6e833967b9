// The page of all calls in a real browser, under the policy that it is served with.
import { expect, test } from 'vitest'
import { launchChromium } from '../chromium.ts'
import { createTestKey, createTestNetwork } from '../fixtures.ts'

test('/docs shows every call and can try one, without warnings from the browser', async () => {
  await using network = await createTestNetwork()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText
      // Leaving a page aborts its pending reads.
      if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} ${reason}`)
    })
    // Like browsers whose streams cannot be iterated.
    await page.addInitScript(
      'delete ReadableStream.prototype[Symbol.asyncIterator]; delete ReadableStream.prototype.values',
    )
    await page.goto(`${network.profile.api}/docs`)
    await page.waitForSelector('.call')
    const document: unknown = await (await fetch(`${network.profile.api}/openapi.json`)).json()
    const operations = JSON.stringify(document).match(/"operationId"/g) ?? []
    await expect.poll(() => page.locator('.call').count()).toBe(operations.length)

    // Schemas and responses shared by calls are shown in full.
    const pin = page.locator('#call-createPin')
    await pin.locator('summary').first().click()
    await pin.locator('table').waitFor()
    expect(await pin.textContent()).toContain('"requestid"')
    expect(await pin.textContent()).toContain('RATE_LIMITED')
    expect(await pin.textContent()).not.toContain('$ref')

    // Without a body, and with the network's profile in the response.
    const health = page.locator('#call-getHealth')
    await health.locator('summary').first().click()
    await health.getByRole('button', { name: 'Send' }).click()
    await health.locator('.answer').waitFor()
    expect(await health.locator('.status').innerText()).toContain('200')
    expect(await health.locator('.answer').innerText()).toContain('"status": "ok"')

    // A call that needs an API key, with a file and a parameter.
    const { apiKey } = await createTestKey(network)
    await page.getByLabel('API key').fill(apiKey)
    await page.getByLabel('Filter').fill('upload files')
    await expect.poll(() => page.locator('.call:visible').count()).toBe(1)
    const add = page.locator('#call-addFiles')
    await add.locator('summary').first().click()
    await add.getByLabel('cid-version in query').fill('1')
    await add
      .getByLabel('Body')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello world') })
    await add.getByRole('button', { name: 'Send' }).click()
    await add.locator('.answer').waitFor()
    expect(await add.locator('.answer').innerText()).toContain(
      'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    )

    // A call answered by another host says so.
    await page.goto(`${network.profile.api}/docs#call-getIpfs`)
    await page.reload()
    const other = page.locator('details.call[open]')
    await other.getByText('This call is answered by the gateway').waitFor()
    expect(await other.getByRole('button', { name: 'Send' }).count()).toBe(0)
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
