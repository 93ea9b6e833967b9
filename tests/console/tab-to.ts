import type { Page } from 'playwright'

/** Number of Tab presses within which everything on a page can be reached. */
export const maxTabs = 80

/** Script of a page: returns the name of the focused element. */
export const focused =
  "(() => { const one = document.activeElement; return one?.getAttribute('aria-label') ?? ([...(one?.labels ?? [])].map((label) => label.textContent).join(' ') || one?.textContent || '') })()"

/** Presses Tab until the element with this name is focused. */
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
