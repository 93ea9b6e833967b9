// What a visitor sees without signing in.
import { expect, test } from 'vitest'
import { type Looks, listPages, longTestMs, visit } from './looks.ts'

export function testVisitor(looks: Looks): void {
  test('the pages that a visitor sees', { timeout: longTestMs }, async () => {
    const { site, look } = looks
    const opened = await site.newPage()
    const { page } = opened
    const pages = (await listPages(site)).filter(({ path }) => !path.includes('$'))
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['/', '/files', '/api-keys']))
    const shortcuts = pages.flatMap(({ shortcut }) => shortcut ?? [])
    expect(shortcuts).toContain('f')
    expect(shortcuts).toEqual([...new Set(shortcuts)])
    for (const { path, title, needsWallet } of pages) {
      await visit(opened, path)
      if (title !== undefined) expect([path, await page.title()]).toEqual([path, `${title} · Cairn`])
      const gate = page.getByRole('heading', { name: 'Sign in to see this' })
      if (needsWallet) await gate.waitFor()
      await look(opened, path)
    }
    await visit(opened, '/names/no/such/page')
    await look(opened, 'an address without a page')
    await visit(opened, '/open/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
    await look(opened, 'a link to unknown content')
    await page.getByRole('button', { name: 'Connect wallet' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).waitFor()
    await look(opened, 'wallets')
    const bare = await site.newPage({ accounts: 0 })
    await visit(bare, '/')
    await bare.page.getByRole('button', { name: 'Connect wallet' }).first().click()
    await bare.page.getByRole('heading', { name: 'No wallet found' }).waitFor()
    await look(bare, 'no wallet')
  })
}
