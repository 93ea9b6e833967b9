// The findings of axe for a page in its current state, and for its colours in both themes and all accents.
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

/** Runs axe in the page with a context and options. Only the parts that `describe` reads leave the page. */
const runAxe = `(async (context, options) => {
  const { violations, passes } = await axe.run(context, { ...options, resultTypes: ['violations', 'passes'], selectors: false, elementRef: true })
  const judged = [...violations, ...passes].filter(({ id }) => ${JSON.stringify(colourRules)}.includes(id)).flatMap(({ nodes }) => nodes)
  window.cairnJudged = new Set(judged.map(({ element }) => element))
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) }))
})`

/**
 * Waits until temporary animations have ended. A dialog starts transparent, also when the window crosses 640 px, and
 * reading through it would show the page behind. With reduced motion this takes one frame.
 */
const settle = `(async () => {
  const isEnding = ({ playState, effect }) => playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime)
  const moving = () => document.getAnimations().filter(isEnding)
  for (let some = moving(); some.length > 0; some = moving()) await Promise.allSettled(some.map(({ finished }) => finished))
})()`

/**
 * Returns the findings of axe for WCAG 2.2 A and AA and best practice in the page, and those about colours in each theme,
 * and in each accent with `everyAccent`. `seen` contains the colours judged before: each look judges only new ones.
 */
export async function findFaults(
  page: Page,
  seen: Set<string>,
  { everyAccent = false }: { everyAccent?: boolean } = {},
): Promise<string[]> {
  // Evaluated as an expression in the page's own world, to which its policy does not apply.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe};undefined`)
  const found: Finding[] = await page.evaluate(
    `${settle}.then(() => ${runAxe}(document, { runOnly: ${JSON.stringify(tags)} }))`,
  )
  const faults = found.flatMap((finding) => describe(finding))
  // Content outside a scrolled box is not judged and stays new. One element represents all that look like it.
  const first = new Map<string, number>()
  for (const [index, { key, isJudged }] of (await page.evaluate(keyColours)).entries()) {
    if (isJudged && !seen.has(key)) first.set(key, index)
  }
  if (first.size === 0) return faults
  const before: { theme?: string; accent?: string } = await page.evaluate('({ ...document.documentElement.dataset })')
  const accented = [...first].flatMap(([key, index]) => (key.startsWith('accent') ? [index] : []))
  for (const theme of themes) {
    for (const accent of everyAccent ? accents : accents.slice(0, 1)) {
      // The page in its current state was judged above.
      if (theme === before.theme && accent === before.accent) continue
      const wanted = accent === 'blue' ? [...first.values()] : accented
      if (wanted.length === 0) continue
      const findings: Finding[] = await page.evaluate(`(async () => {
        Object.assign(document.documentElement.dataset, ${JSON.stringify({ theme, accent })})
        const still = new CSSStyleSheet()
        still.replaceSync('*, *::before, *::after { transition: none !important }')
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, still]
        const elements = ${JSON.stringify(wanted)}.map((index) => window.cairnColours[index]).filter((one) => one.isConnected)
        const findings = elements.length === 0 ? [] : await ${runAxe}(elements, { runOnly: { type: 'rule', values: ${JSON.stringify(colourRules)} } })
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== still)
        return findings
      })()`)
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
 * Runs in the page: returns for each element with its own text whether axe judged its colours, and a key of everything that
 * determines its readability; stores the elements in `window.cairnColours`. Colours are tokens, so elements with one key look
 * alike in every theme and accent: three very different looks tell tokens apart. Keys of accent colours start with
 * `accent`.
 */
function keyColours(): { key: string; isJudged: boolean }[] {
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
    // Elements share most of their ancestors.
    const behind = new Map<Element, string>()
    const keyBehind = (element: Element): string => {
      const known = behind.get(element)
      if (known !== undefined) return known
      const { backgroundColor, opacity } = getComputedStyle(element)
      const isSeenThrough = /^rgba|\//.test(backgroundColor)
      let key = opacity === '1' ? '' : ` at ${opacity}`
      if (backgroundColor !== 'rgba(0, 0, 0, 0)') key += ` on ${backgroundColor}`
      if (isSeenThrough && element.parentElement !== null) key += keyBehind(element.parentElement)
      behind.set(element, key)
      return key
    }
    return elements.map((element) => {
      const { color, fontSize, fontWeight } = getComputedStyle(element)
      return `${color} ${fontSize} ${fontWeight}${keyBehind(element)}`
    })
  })
  Object.assign(dataset, before)
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== still)
  Reflect.set(window, 'cairnColours', elements)
  const judged: Set<Element> = Reflect.get(window, 'cairnJudged')
  return elements.map((element, i) => {
    const [first, second, third] = looks.map((look) => look[i])
    const key = [first === second ? '' : 'accent', element.closest('a') === null ? '' : 'link', first, third].join('|')
    return { key, isJudged: judged.has(element) }
  })
}
