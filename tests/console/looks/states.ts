// Pages that are loading, failed, or have no network.
import { test } from 'vitest'
import { type Looks, listPages, longTestMs, signInAt } from './looks.ts'

export function testStates(looks: Looks): void {
  test('each page of data while loading, after a failure, and without a network', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page, context } = opened
    opened.expectProblem(/status of 500|net::ERR_INTERNET_DISCONNECTED/)
    await signInAt(opened, '/settings')
    for (const [path, call] of [
      ['/files', '**/api/user/files_uploaded*'],
      ['/names', '**/api/names*'],
      ['/billing', '**/api/payments?*'],
      ['/proofs', '**/api/user/files_uploaded*'],
      ['/api-keys', '**/api/auth/api_keys'],
    ] as const) {
      const held = Promise.withResolvers<void>()
      await page.route(call, async (route) => {
        await held.promise
        await route.fulfill({
          status: 500,
          json: { error: { code: 'INTERNAL', message: 'Something broke', details: {} } },
        })
      })
      await opened.open(path)
      await page.locator('.animate-skeleton').first().waitFor()
      await look(opened, `${path} while it loads`)
      held.resolve()
      await page.getByRole('alert').first().waitFor()
      await look(opened, `${path} when it failed`)
      await page.unroute(call)
    }
    const entries = (await listPages(site)).filter(({ title }) => title !== undefined)
    await opened.open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const { path, title = '', shortcut } of entries.filter((entry) => entry.shortcut !== undefined)) {
      await page.keyboard.press('g')
      await page.keyboard.press(shortcut ?? '')
      await page.waitForURL((url) => url.pathname === path)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    }
    const rail = page.getByRole('navigation', { name: 'Main' })
    for (const { title = '' } of entries) await rail.getByRole('link', { name: title, exact: true }).first().waitFor()
    await context.setOffline(true)
    await page.getByText('You are offline').waitFor()
    await look(opened, 'without a network')
  })
}
