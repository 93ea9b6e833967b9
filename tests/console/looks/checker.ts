// The looks find the defects that they are for.
import { expect, test } from 'vitest'
import type { Looks } from './looks.ts'

export function testChecker(looks: Looks): void {
  test('finds text that is unreadable in one theme or accent', async () => {
    const { site } = looks
    const { page, open, checkAccessibility } = await site.newPage()
    await open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`for (const [name, color, background] of [['theme', '#c81e1e', ''], ['accent', 'var(--accent)', '#5835e6']]) {
      const planted = document.createElement('p')
      planted.textContent = planted.className = 'planted-' + name
      Object.assign(planted.style, { color, background })
      document.querySelector('main').append(planted)
    }`)
    const found = (await checkAccessibility({ everyAccent: true })).map((text) =>
      text.replace(/^(.*)color-contrast.*planted-(\w+).*$/, '$1$2'),
    )
    expect(found.filter((text) => text.endsWith('theme'))).toContain('dark blue theme')
    expect(found.filter((text) => text.endsWith('theme'))).not.toContain('light blue theme')
    expect(found).toContain('light purple accent')
  })

  test('checks a scrolled-in part as it finally appears, not through the page behind', async () => {
    const { site } = looks
    const { page, open, checkAccessibility } = await site.newPage()
    await open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`{
      const planted = document.createElement('p')
      planted.textContent = 'Comes into view'
      Object.assign(planted.style, { color: '#fff', background: '#000' })
      document.querySelector('main').append(planted)
      planted.animate({ opacity: [0.1, 0.1, 1] }, 2000)
    }`)
    expect(await checkAccessibility()).toEqual([])
  })
}
