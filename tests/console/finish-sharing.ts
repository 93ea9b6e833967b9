import type { Page } from 'playwright'

/** After sharing, the dialog shows the link to send: closes it. */
export async function finishSharing(page: Page): Promise<void> {
  const shared = page.getByRole('dialog', { name: /^Shared with / })
  await shared.getByRole('button', { name: 'Done' }).click()
  await shared.waitFor({ state: 'detached' })
}
