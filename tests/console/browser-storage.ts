import type { Page } from 'playwright'

/** Script of a page: its dialog for a file to save chooses one in the storage of the browser. */
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

/** Returns whether the storage of the browser has such a file. */
export function isStored(page: Page, name: string): Promise<boolean> {
  return page.evaluate<boolean>(
    `navigator.storage.getDirectory().then((folder) => folder.getFileHandle(${JSON.stringify(name)})).then(() => true, () => false)`,
  )
}
