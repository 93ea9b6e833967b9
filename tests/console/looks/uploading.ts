// The upload sheet and the transfers.
import { test } from 'vitest'
import { startUpload } from '../start-upload.ts'
import { type Looks, longTestMs, signInAt } from './looks.ts'

export function testUploading(looks: Looks): void {
  test('uploading: the sheet in each state, and transfers', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page } = opened
    await signInAt(opened, '/files')
    await page.getByText('Nothing here yet').waitFor()
    await page.keyboard.press('u')
    const sheet = page.getByRole('dialog', { name: 'Upload' })
    await sheet.waitFor()
    await look(opened, 'nothing chosen')
    await sheet.getByText('Text', { exact: true }).first().click()
    await sheet.getByLabel('Text', { exact: true }).last().fill('a text')
    await look(opened, 'a text')
    await sheet.getByText('Files', { exact: true }).click()
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
    await page.setInputFiles('input[data-upload=files]', [file('one.txt'), file('two.txt')])
    await page.getByRole('textbox', { name: 'Name of two.txt' }).fill('one.txt')
    await page.keyboard.press('Tab')
    await page.getByText('Duplicate file name found: one.txt').waitFor()
    await look(opened, 'names that come twice')
    await page.getByRole('textbox', { name: 'Name of one.txt' }).last().fill('other.txt')
    await page.route('**/api/v0/add*', (route) =>
      route.fulfill({ status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' }),
    )
    await startUpload(page, 'public')
    const panel = page.getByRole('region', { name: 'Transfers' })
    await panel.getByRole('button', { name: 'Retry one.txt' }).waitFor()
    await look(opened, 'uploads that failed')
    await page.unroute('**/api/v0/add*')
    await panel.getByRole('button', { name: 'Retry all failed' }).click()
    await panel.getByText('Stored', { exact: true }).nth(1).waitFor()
    await look(opened, 'uploads that are done')
    await page.route('**/api/user/user_data_usage*', async (route) => {
      const response = await route.fetch()
      const usage: { dataUsed: number } = await response.json()
      await route.fulfill({ response, json: { ...usage, dataLimit: usage.dataUsed } })
    })
    await page.reload()
    await page.getByRole('link', { name: 'other.txt' }).waitFor()
    await page.keyboard.press('u')
    await page.setInputFiles('input[data-upload=files]', [file('three.txt')])
    await page.getByText('more than you have left').first().waitFor()
    await look(opened, 'more than is left')
  })
}
