import type { Page } from 'playwright'

/** Leaves a session as it is when it was begun while the key nodes were away: without theirs. Takes effect with a reload. */
export async function dropKeySession(page: Page): Promise<void> {
  await page.evaluate(`{
    const { keySession, ...session } = JSON.parse(sessionStorage.getItem('cairn.session'))
    sessionStorage.setItem('cairn.session', JSON.stringify(session))
  }`)
}
