// Settings and status: what this browser stores, and the state of the network.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { nextSaved } from './next-saved.ts'

/** The machine may be busy. */
const patience = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local', providers: 1 })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const look = 'JSON.stringify([document.documentElement.dataset.theme, document.documentElement.dataset.accent])'

test('keeps theme and accent after a reload, and applies them before the first paint', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/settings')
  const scrollbar = () => page.evaluate('getComputedStyle(document.documentElement).scrollbarColor')
  const light = await scrollbar()
  await page.getByText('Dark', { exact: true }).click()
  await expect.poll(scrollbar).not.toBe(light)
  await page.getByTitle('Purple').click()
  expect(await page.evaluate(look)).toBe('["dark","purple"]')
  // Only the small script in the page's head has run by then.
  await page.addInitScript(
    "document.addEventListener('readystatechange', () => { if (document.readyState === 'interactive') window.firstCheck = JSON.stringify([document.documentElement.dataset.theme, document.documentElement.dataset.accent]) })",
  )
  await page.reload()
  await page.getByRole('radio', { name: 'Purple' }).waitFor()
  expect(await page.evaluate('window.firstCheck')).toBe('["dark","purple"]')
  expect(await page.getByRole('radio', { name: 'Purple' }).isChecked()).toBe(true)
  expect(problems).toEqual([])
})

test('keeps the language and the theme for a tab of a browser that blocks storage', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.context.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
  })`)
  await opened.open('/settings')
  await page.getByText('Dark', { exact: true }).click()
  await page.getByText('Deutsch', { exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  expect(await page.evaluate(look)).toBe('["dark","blue"]')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  expect(await page.getByRole('radio', { name: 'Deutsch' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Löschen', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /löschen/i })
    .click()
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  expect(await page.evaluate('name')).toBe('')
  expect(problems).toEqual([])
})

test('the settings list every address that the page may connect to', async () => {
  const { page, open } = await site.newPage()
  const { api, upload, gateway, keyNodes = [], providers = [] } = site.network.profile
  await open('/settings')
  const network = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Network' }) })
  await network.getByText(api, { exact: true }).waitFor()
  const shown = await network.locator('dd').allTextContents()
  expect(shown).toEqual(expect.arrayContaining([api, upload, gateway, ...keyNodes, ...providers.map(({ url }) => url)]))
  expect(keyNodes).toHaveLength(5)
})

test('every accent passes in both themes, and the settings work with the keyboard alone', async () => {
  const opened = await site.newPage({ width: 360 })
  const { page, problems } = opened
  await opened.open('/settings')
  for (const theme of ['Light', 'Dark']) {
    await page.getByRole('radio', { name: theme }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('radio', { name: 'Blue' }).focus()
    await page.keyboard.press('Space')
    for (const accent of ['blue', 'green', 'orange', 'pink', 'purple', 'red']) {
      await expect.poll(() => page.evaluate('document.documentElement.dataset.accent'), patience).toBe(accent)
      expect(await opened.checkAccessibility()).toEqual([])
      await page.keyboard.press('ArrowRight')
    }
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  expect(problems).toEqual([])
})

test('exports the browser’s stored data without the session, and clears it with the session', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/settings')
  await opened.signIn()
  await page.getByLabel('Single-letter shortcuts').uncheck()
  const [saved] = await Promise.all([nextSaved(page), page.getByRole('button', { name: 'Export' }).click()])
  const text = saved.bytes.toString()
  expect(JSON.parse(text).data['cairn.settings']).toMatchObject({ hasShortcuts: false })
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  expect(text).not.toContain(JSON.parse(kept).apiKey)
  const databases = () => page.evaluate('indexedDB.databases().then((all) => all.map(({ name }) => name))')
  for (const name of ['cairn-names', 'of-another-page']) {
    await page.evaluate(
      `new Promise((resolve) => {
        const opening = indexedDB.open('${name}', 1)
        opening.onupgradeneeded = () => opening.result.createObjectStore('keys')
        opening.onsuccess = () => resolve(opening.result.close())
      })`,
    )
  }
  expect(await databases()).toEqual(expect.arrayContaining(['cairn', 'cairn-names', 'of-another-page']))
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.getByRole('button', { name: 'Clear and sign out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  expect(await page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('cairn.session'))")).toEqual(
    [],
  )
  expect(await page.evaluate("localStorage.getItem('cairn.settings')")).toBeNull()
  expect(await databases()).toContain('of-another-page')
  expect(await databases()).not.toContain('cairn-names')
  expect(problems).toEqual([])
})

test('the status page checks every part, and explains the effect of offline key nodes', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/status')
  await page.getByText('All systems operational').waitFor()
  await page.getByText('All 9 parts answer.').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  // On a phone, the state of a part is beside its name, and no fact wraps over two lines.
  await page.setViewportSize({ width: 390, height: 844 })
  const rows = page.getByRole('main').getByRole('listitem')
  const middles = await rows.evaluateAll((items) =>
    items.map((item) =>
      [...item.children]
        .slice(0, 3)
        .map((part) => part.getBoundingClientRect())
        .map(({ top, bottom }) => (top + bottom) / 2),
    ),
  )
  expect(middles.length).toBeGreaterThan(6)
  for (const [name = 0, ...states] of middles)
    for (const state of states) expect(Math.abs(state - name)).toBeLessThan(4)
  const factHeights = await rows.locator('p span').evaluateAll((facts) => facts.map((fact) => fact.clientHeight))
  expect(Math.max(...factHeights)).toBeLessThan(30)
  await page.setViewportSize({ width: 1280, height: 800 })
  const [first, second, third] = site.network.profile.keyNodes ?? []
  opened.expectProblem(/net::ERR_FAILED/)
  await page.route(`${first}/**`, (route) => route.abort())
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Partial outage').waitFor()
  await page.getByText('4 of 5 key nodes answer. Encrypted files open').waitFor()
  for (const url of [second, third]) await page.route(`${url}/**`, (route) => route.abort())
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('2 of 5 key nodes answer. Encrypted files can’t be opened').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})
