// A page with a worker that encrypts and decrypts.
import type { Client } from '@cairn/sdk'
import type { Locator, Worker } from 'playwright'
import type { ConsolePage, ConsoleTest } from './console.fixture.ts'
import { createAccountClient } from './wallet-client.ts'

/** Generous, because machines are slow at times: what is awaited appears, or the test is wrong. */
const patient = { timeout: 60_000 }

/** Opens a signed-in page that reports its workers as they start. */
export async function openSignedIn(
  site: ConsoleTest,
  format: 'v1' | 'v2',
): Promise<ConsolePage & { workers: Worker[]; client: Client }> {
  const opened = await site.newPage()
  const { page, open, signIn, wallet } = opened
  const workers: Worker[] = []
  page.on('worker', (worker) => workers.push(worker))
  await open('/settings')
  await page.getByText(format === 'v1' ? 'Compatible' : 'Seekable', { exact: true }).click()
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  return { ...opened, workers, client: await createAccountClient(site.network, wallet.accounts[0]) }
}

/** Opens a locked file: automatically if the key nodes know the user already, otherwise by a click. */
export async function unlock(button: Locator, shown: Locator) {
  await button.or(shown).first().waitFor(patient)
  if (await button.isVisible()) await button.click()
  await shown.waitFor(patient)
}

export const isCipher = (worker: Worker) => worker.url().includes('cipher')

/** Makes the service report the size of a large file. The console decides by that size, and no test has to send as many bytes. */
export async function stateLarge(site: ConsoleTest, cid: string): Promise<void> {
  await site.network.storage.context.db.write(async (trx) => {
    await trx
      .updateTable('upload')
      .set({ size_bytes: 600 * 1024 * 1024 })
      .where('cid', '=', cid)
      .execute()
  })
}
