// A page of an account with a drive, and user actions in it.
import { type Client, uploadText } from '@cairn/sdk'
import type { ConsolePage, ConsoleTest } from './console.fixture.ts'
import { createPageClient } from './page-client.ts'

/** A page of an account with these files, one after the other. */
export async function openDrivePage(
  site: ConsoleTest,
  names: readonly string[],
  options: Parameters<ConsoleTest['newPage']>[0] = {},
): Promise<ConsolePage & { client: Client }> {
  const opened = await site.newPage(options)
  await opened.open('/files')
  await opened.signIn()
  const client = await createPageClient(site, opened.page)
  for (const name of names) await uploadText(client, `content of ${name}`, { name })
  await opened.page.reload()
  const last = names.at(-1)
  if (last !== undefined) await link(opened.page, last).waitFor()
  return { ...opened, client }
}

export const link = (page: ConsolePage['page'], name: string) =>
  page.getByRole('grid').getByRole('link', { name, exact: true })
export const act = async (page: ConsolePage['page'], name: string, action: string) => {
  await link(page, name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
export const goTo = (page: ConsolePage['page'], place: string) =>
  page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place }).click()

export async function createFolder(page: ConsolePage['page'], name: string): Promise<void> {
  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Folder name' }).fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await link(page, name).waitFor()
}
