// Pages of accounts with and without files.
import { uploadText } from '@cairn/sdk'
import type { ConsolePage, ConsoleTest } from './console.fixture.ts'
import { createPageClient } from './page-client.ts'

/** A page of an account that already has this many small files. */
export async function openWithFiles(
  site: ConsoleTest,
  count: number,
  options: Parameters<ConsoleTest['newPage']>[0] = {},
): Promise<ConsolePage> {
  const opened = await site.newPage(options)
  await opened.open('/files')
  await opened.signIn()
  if (count === 0) return opened
  const client = await createPageClient(site, opened.page)
  for (let i = 0; i < count; i++)
    await uploadText(client, `file ${i}`, { name: `note-${String(i).padStart(3, '0')}.txt` })
  await opened.page.reload()
  await opened.page.getByRole('link', { name: `note-${String(count - 1).padStart(3, '0')}.txt` }).waitFor()
  return opened
}

/** A page of a new account, which has no files yet. */
export async function openEmpty(
  site: ConsoleTest,
  options?: Parameters<ConsoleTest['newPage']>[0],
): Promise<ConsolePage> {
  const opened = await site.newPage(options)
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByText('Nothing here yet').waitFor()
  return opened
}
