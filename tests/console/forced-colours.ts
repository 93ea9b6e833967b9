// What users whose system forces its colours, such as a contrast theme of Windows, cannot see on a page in its current state.
import type { Page } from 'playwright'

/** The colours of the system, and the theme that the user chose in the console: what the page colours itself is seen best. */
const looks = [
  ['dark', 'light'],
  ['light', 'dark'],
] as const

/** Returns drawings and texts without contrast, buttons without an edge, and selections without a mark. */
export async function findHidden(page: Page): Promise<string[]> {
  const before = await page.evaluate('document.documentElement.dataset.theme')
  const found: string[] = []
  for (const [colorScheme, theme] of looks) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme })
    // The theme of the system is set when the page is drawn next.
    await page.evaluate('new Promise(requestAnimationFrame)')
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    found.push(...(await page.evaluate(findHere)).map((text) => `${colorScheme} system: ${text}`))
  }
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' })
  await page.evaluate('new Promise(requestAnimationFrame)')
  await page.evaluate(`document.documentElement.dataset.theme = '${before}'`)
  return found
}

/** Runs in the page. */
function findHere(): string[] {
  /** Of a drawing with a meaning (WCAG 2.2, 1.4.11), and of a text (1.4.3). */
  const minContrast = { drawing: 3, text: 4.5 }
  const faults: string[] = []
  const describe = (element: Element) => (element.closest('svg')?.parentElement ?? element).outerHTML.slice(0, 160)
  const parse = (colour: string) => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number)
    const most = colour.startsWith('color(') ? 1 : 255
    const [r = 0, g = 0, b = 0] = [red, green, blue]
      .map((value) => value / most)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    return { luminance: 0.2126 * r + 0.7152 * g + 0.0722 * b, alpha }
  }
  const behind = (element: Element): string => {
    const { backgroundColor } = getComputedStyle(element)
    return parse(backgroundColor).alpha > 0.5 || element.parentElement === null
      ? backgroundColor
      : behind(element.parentElement)
  }
  const contrast = (one: string, other: string) => {
    const [dark = 0, light = 0] = [parse(one).luminance, parse(other).luminance].sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }
  const all = (selector: string) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
  // Colours that users gave to their items stay, and a QR code and the picture of an account have their own background.
  const shapes = all('svg :is(path, rect, circle, line, ellipse)').filter(
    (one) =>
      one.closest('[data-accent]') === document.documentElement && !one.closest('svg')?.querySelector('[fill^="#"]'),
  )
  for (const shape of shapes) {
    const { stroke, fill, opacity } = getComputedStyle(shape)
    const paints = [stroke, fill].filter((paint) => paint !== 'none' && parse(paint).alpha > 0.5)
    const ground = behind(shape)
    if (opacity !== '1' || paints.length === 0) continue
    if (!paints.some((paint) => contrast(paint, ground) >= minContrast.drawing)) {
      faults.push(`${paints} on ${ground}: ${describe(shape)}`)
    }
  }
  for (const element of all('body *')) {
    const style = getComputedStyle(element)
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
    if (hasText && style.getPropertyValue('forced-color-adjust') === 'none' && element.closest('svg') === null) {
      const ground = behind(element)
      if (contrast(style.color, ground) < minContrast.text)
        faults.push(`${style.color} on ${ground}: ${describe(element)}`)
    }
  }
  for (const button of all('button')) {
    if (getComputedStyle(button).borderTopStyle !== 'solid') faults.push(`no edge: ${describe(button)}`)
  }
  const chosen = all('[aria-pressed=true], [aria-selected=true]')
  const checked = all('label:has(> input.sr-only:checked)')
  for (const one of [...chosen, ...checked]) {
    if (getComputedStyle(one).outlineStyle === 'none') faults.push(`no mark: ${describe(one)}`)
  }
  for (const one of all('a.border-transparent')) {
    if (contrast(getComputedStyle(one).borderBottomColor, behind(one)) > 1.1) faults.push(`marked: ${describe(one)}`)
  }
  return faults
}
