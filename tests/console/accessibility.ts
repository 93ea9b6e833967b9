// What axe finds in a page as it stands, and how its colours do in both themes and all accents.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright'

const require = createRequire(import.meta.url)
/** Each page compiles it again: it is less than half as long as `axe.source`. */
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colourRules = ['color-contrast', 'link-in-text-block']
const themes = ['light', 'dark'] as const
const accents = ['blue', 'green', 'orange', 'pink', 'purple', 'red'] as const

type Finding = { id: string; nodes: { html: string; failureSummary?: string }[] }

/**
 * Findings of axe for WCAG 2.2 A and AA and best practice in the page as it stands; and those about colours in each theme, and
 * in each accent with `everyAccent`. Colours that were judged before are in `seen`: only new ones are judged in each look.
 */
export async function findFaults(
  page: Page,
  seen: Set<string>,
  { everyAccent = false }: { everyAccent?: boolean } = {},
): Promise<string[]> {
  // As an expression in the page's own world, which its policy does not concern.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe};undefined`)
  const found: Finding[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  const faults = found.flatMap((finding) => describe(finding))
  const fresh = (await page.evaluate(keyColours)).flatMap((key, index) => (seen.has(key) ? [] : [{ key, index }]))
  if (fresh.length === 0) return faults
  const before = await page.evaluate('({ ...document.documentElement.dataset })')
  const judge = async (look: unknown, indices: number[]): Promise<{ findings: Finding[]; judged: number[] }> =>
    page.evaluate(`(async () => {
      Object.assign(document.documentElement.dataset, ${JSON.stringify(look)})
      const still = new CSSStyleSheet()
      still.replaceSync('*, *::before, *::after { transition: none !important }')
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, still]
      const elements = ${JSON.stringify(indices)}.map((index) => window.cairnColours[index]).filter((one) => one.isConnected)
      const { violations, passes } = elements.length === 0 ? { violations: [], passes: [] } : await axe.run(elements, {
        runOnly: { type: 'rule', values: ${JSON.stringify(colourRules)} }, elementRef: true })
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== still)
      const judged = [...violations, ...passes].flatMap(({ nodes }) => nodes.map(({ element }) => window.cairnColours.indexOf(element)))
      const findings = violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) }))
      return { findings, judged }
    })()`)
  // What lies outside a scrolled box is not judged: it stays new. One element stands for all that look like it.
  const all = fresh.map(({ index }) => index)
  const { judged } = await judge(before, all)
  const first = new Map(fresh.filter(({ index }) => judged.includes(index)).map(({ key, index }) => [key, index]))
  const accented = [...first].flatMap(([key, index]) => (key.startsWith('accent') ? [index] : []))
  for (const theme of themes) {
    for (const accent of everyAccent ? accents : accents.slice(0, 1)) {
      const wanted = accent === 'blue' ? [...first.values()] : accented
      if (wanted.length === 0) continue
      const { findings } = await judge({ theme, accent }, wanted)
      faults.push(...findings.flatMap((finding) => describe(finding, `${theme} ${accent} `)))
    }
  }
  for (const key of first.keys()) seen.add(key)
  await page.evaluate(`Object.assign(document.documentElement.dataset, ${JSON.stringify(before)})`)
  return faults
}

function describe({ id, nodes }: Finding, where = ''): string[] {
  return nodes.map(
    ({ html, failureSummary = '' }) => `${where}${id}: ${html.slice(0, 200)} | ${failureSummary.replace(/\s+/g, ' ')}`,
  )
}

/**
 * Runs in the page: a key for each element with text of its own, made of what decides how readable it is; the elements are
 * left in `window.cairnColours`. Colours are tokens, so elements of one key look alike in every theme and accent: three looks
 * that are far from each other tell tokens apart. Keys of what an accent colours begin with `accent`.
 */
function keyColours(): string[] {
  const { dataset } = document.documentElement
  const before = { ...dataset }
  const still = new CSSStyleSheet()
  still.replaceSync('*, *::before, *::after { transition: none !important }')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still]
  const elements = [...document.body.querySelectorAll('*')].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== ''),
  )
  const looks = [
    { theme: 'light', accent: 'green' },
    { theme: 'light', accent: 'red' },
    { theme: 'dark', accent: 'red' },
  ].map((look) => {
    Object.assign(dataset, look)
    return elements.map((element) => {
      const { color, fontSize, fontWeight } = getComputedStyle(element)
      let key = `${color} ${fontSize} ${fontWeight}`
      for (let one: Element | null = element; one !== null; one = one.parentElement) {
        const { backgroundColor, opacity } = getComputedStyle(one)
        if (opacity !== '1') key += ` at ${opacity}`
        if (backgroundColor === 'rgba(0, 0, 0, 0)') continue
        key += ` on ${backgroundColor}`
        if (!/^rgba|\//.test(backgroundColor)) break
      }
      return key
    })
  })
  Object.assign(dataset, before)
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== still)
  Reflect.set(window, 'cairnColours', elements)
  return elements.map((element, i) => {
    const [first, second, third] = looks.map((look) => look[i])
    return [first === second ? '' : 'accent', element.closest('a') === null ? '' : 'link', first, third].join('|')
  })
}
