import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright'
import { isFirefox } from '../firefox.ts'

/** A file that a page saved. */
export type Saved = { name: string; bytes: Buffer }

/** Waits for the next file that the page saves from memory. Call it before the action. */
export async function nextSaved(page: Page): Promise<Saved> {
  if (isFirefox) return nextSavedOfFirefox(page)
  const download = await page.waitForEvent('download')
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** WebDriver BiDi reports no download of a blob, so the page itself reports what it gives to the browser. */
async function nextSavedOfFirefox(page: Page): Promise<Saved> {
  await page.evaluate(`{
    const blobs = new Map()
    const create = URL.createObjectURL
    URL.createObjectURL = (blob) => {
      const url = create(blob)
      blobs.set(url, blob)
      return url
    }
    const { click } = HTMLAnchorElement.prototype
    window.nextSaved = new Promise((resolve) => {
      HTMLAnchorElement.prototype.click = function () {
        const blob = blobs.get(this.href)
        if (blob !== undefined) resolve([this.download, blob])
        click.call(this)
      }
    })
  }`)
  const { name, base64 }: { name: string; base64: string } = await page.evaluate(
    'window.nextSaved.then(async ([name, blob]) => ({ name, base64: new Uint8Array(await blob.arrayBuffer()).toBase64() }))',
  )
  return { name, bytes: Buffer.from(base64, 'base64') }
}
