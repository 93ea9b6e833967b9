import type { Page } from 'playwright'
import { expect } from 'vitest'
import { isFirefox } from '../firefox.ts'

/** Script of a page: its save dialog selects a file in the storage of the browser. */
export const saveIntoStorage = `window.showSaveFilePicker = async ({ suggestedName }) =>
  (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`

/** Reads a file in the storage of the browser. */
export async function readStored(page: Page, name: string): Promise<Buffer> {
  const base64 = await page.evaluate<string>(
    `navigator.storage.getDirectory().then((folder) => folder.getFileHandle(${JSON.stringify(name)})).then((handle) => handle.getFile())
      .then((file) => new Promise((resolve) => {
        const reader = new FileReader()
        reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1))
        reader.readAsDataURL(file)
      }))`,
  )
  return Buffer.from(base64, 'base64')
}

/**
 * Waits until the browser's storage has no such file. Firefox, where users cannot choose a file to save, does not remove the file
 * that the test chose.
 */
export async function expectRemoved(page: Page, name: string): Promise<void> {
  if (isFirefox) return
  await expect.poll(() => isStored(page, name), { timeout: 60_000 }).toBe(false)
}

function isStored(page: Page, name: string): Promise<boolean> {
  return page.evaluate<boolean>(
    `navigator.storage.getDirectory().then((folder) => folder.getFileHandle(${JSON.stringify(name)})).then(() => true, () => false)`,
  )
}
