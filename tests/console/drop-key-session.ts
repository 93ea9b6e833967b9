import type { Page } from 'playwright'

/** Leaves a session as if the key nodes were offline at its start: without theirs. Takes effect after a reload. */
export async function dropKeySession(page: Page): Promise<void> {
  await page.evaluate(`{
    const { keySession, ...session } = JSON.parse(sessionStorage.getItem('cairn.session'))
    sessionStorage.setItem('cairn.session', JSON.stringify(session))
  }`)
}
