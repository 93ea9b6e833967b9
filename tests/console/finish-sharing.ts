import type { Page } from 'playwright'

/** Closes the dialog that shows the link to send after sharing. */
export async function finishSharing(page: Page): Promise<void> {
  const shared = page.getByRole('dialog', { name: /^Shared with / })
  await shared.getByRole('button', { name: 'Done' }).click()
  await shared.waitFor({ state: 'detached' })
}
