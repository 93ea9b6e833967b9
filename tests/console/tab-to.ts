import type { Page } from 'playwright'

/** Presses of Tab within which everything on a page is reached. */
export const maxTabs = 80

/** Script of a page: what the element with the focus is called. */
export const focused =
  "(() => { const one = document.activeElement; return one?.getAttribute('aria-label') ?? ([...(one?.labels ?? [])].map((label) => label.textContent).join(' ') || one?.textContent || '') })()"

/** Presses Tab until the focus is on what is called so. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let i = 0; i < maxTabs; i++) {
    const current: string = await page.evaluate(focused)
    if (name.test(current)) return
    passed.push(current.slice(0, 40))
    await page.keyboard.press('Tab')
  }
  throw new Error(`no Tab leads to ${name}: ${passed.join(' | ')}`)
}
