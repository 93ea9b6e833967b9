// Without a mouse, colours or motion, or with a screen reader: what the console promises to people who use it this way.
import { uploadText } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { findHidden } from './forced-colours.ts'
import { listPages, visit } from './looks/looks.ts'
import { startUpload } from './start-upload.ts'
import { focused, maxTabs, tabTo } from './tab-to.ts'
import { createAccountClient } from './wallet-client.ts'

/** The machine may be busy. */
const patience = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Moves down a menu until the item is highlighted, and selects it. */
async function takeItem(page: Page, name: string): Promise<void> {
  await page.getByRole('menuitem', { name, exact: true }).waitFor()
  await expect
    .poll(async () => {
      if ((await page.evaluate(focused)) === name) return true
      await page.keyboard.press('ArrowDown')
      return false
    }, patience)
    .toBe(true)
  await page.keyboard.press('Enter')
}

test('signs in, uploads, opens, shares and publishes with the keyboard alone', {
  timeout: 240_000,
}, async () => {
  const { page, open } = await site.newPage()
  const { keyboard } = page
  await open('/')
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  await tabTo(page, /^Connect wallet$/)
  await keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).waitFor()
  await tabTo(page, /Test Wallet/)
  await keyboard.press('Enter')
  await page.getByText('Nothing here yet').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await keyboard.press('u')
  await page.getByRole('dialog', { name: 'Upload' }).waitFor()
  await tabTo(page, /^Files$/)
  await keyboard.press('ArrowRight')
  await page.getByLabel('Text', { exact: true }).last().waitFor()
  await expect
    .poll(async () => {
      await keyboard.press('Tab')
      return page.evaluate("document.activeElement.matches('textarea')")
    }, patience)
    .toBe(true)
  await keyboard.type('typed by hand')
  await tabTo(page, /^Encrypted/)
  for (const [key, access] of [
    ['ArrowRight', /^Private/],
    ['ArrowRight', /^Public/],
    ['ArrowLeft', /^Private/],
    ['ArrowLeft', /^Encrypted/],
  ] as const) {
    await keyboard.press(key)
    expect(await page.getByRole('radio', { name: access }).isChecked()).toBe(true)
  }
  await tabTo(page, /^Encrypt and upload 1 file$/)
  await keyboard.press('Enter')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).waitFor(patience)

  await tabTo(page, /^Your files$/)
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'note.txt' })
  await drawer.getByText('typed by hand').waitFor(patience)
  await keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(focused), patience).toMatch(/^Your files/)

  await tabTo(page, /^Actions for note\.txt$/)
  await keyboard.press('Enter')
  await takeItem(page, 'Share')
  await page.getByRole('dialog', { name: 'Share this file' }).waitFor(patience)
  await keyboard.type(`0x${'78'.repeat(20)}`)
  await tabTo(page, /^Share$/)
  await keyboard.press('Enter')
  const shared = page.getByRole('dialog', { name: /^Shared with / })
  await shared.waitFor(patience)
  await tabTo(page, /^Done$/)
  await keyboard.press('Enter')
  await shared.waitFor({ state: 'detached' })
  await page
    .getByRole('list', { name: 'People' })
    .getByText(`0x${'78'.repeat(20)}`)
    .waitFor(patience)

  await keyboard.press('g')
  await keyboard.press('f')
  await page.getByRole('grid').waitFor()
  await tabTo(page, /^Actions for note\.txt$/)
  await keyboard.press('Enter')
  await takeItem(page, 'Publish to a name')
  await page.getByRole('dialog').getByLabel('Label').waitFor()
  await tabTo(page, /^Label/)
  await keyboard.type('by hand')
  await tabTo(page, /^Publish$/)
  await keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'by hand' }).waitFor(patience)
})

test('dialogs and sheets focus their main control, and return the focus when they close', {
  timeout: 240_000,
}, async () => {
  const { page, open, signIn } = await site.newPage()
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  for (const [path, name, first] of [
    ['/files', /^Upload$/, /^Choose files$/],
    ['/files', /^Account 0x/, /^Copy address$/],
    ['/files', /^New folder$/, /^Folder name$/],
    // Without a control to press, the title has the focus, not the close button.
    ['/files', /^Notifications$/, /^Notifications$/],
    ['/names', /^Create name$/, /^Label/],
    ['/links', /^New upload link$/, /^Label/],
    ['/shared?by=contacts', /^Add contact$/, /^Address/],
    ['/api-keys', /^Create API key$/, /^Name$/],
    ['/settings', /^Clear$/, /^Cancel$/],
  ] as const) {
    if (new URL(page.url()).pathname !== path) await open(path)
    const button = page.getByRole('button', { name }).first()
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await expect.poll(() => page.evaluate(focused), patience).toMatch(first)
    // Nothing behind it can be reached meanwhile.
    for (let i = 0; i < 12; i++) await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement?.closest('[role=dialog]') !== null")).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => button.evaluate((one) => one === one.ownerDocument.activeElement), patience).toBe(true)
  }
})

/** Runs in the page: marks the focused element, and returns its name, and whether its focus is visible. */
const noteFocus = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body) return undefined
  const wasReached = one.hasAttribute('data-reached')
  one.setAttribute('data-reached', '')
  const isDrawn = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  }
  // The label shows the focus of a hidden radio button, and the active row that of the list.
  const drawn = [one, one.closest('label'), one.parentElement, ...one.querySelectorAll('[role=row],[role=gridcell] > *')]
  return { wasReached, isSeen: drawn.some((element) => element !== null && isDrawn(element)), html: one.outerHTML.slice(0, 120) }
})()`

/** Runs in the page: returns the controls that Tab did not reach. One radio button represents its group. */
const listUnreached = `[...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0 && one.type !== 'file')
  .filter((one) => !one.hasAttribute('data-reached') && one.closest('[inert],[aria-hidden=true]') === null)
  .filter((one) => one.type !== 'radio' || document.querySelector('input[name="' + one.name + '"][data-reached]') === null)
  .map((one) => one.outerHTML.slice(0, 120))`

/** Presses Tab from the start of a page to its end: returns where the focus was not visible, and what Tab did not reach. */
async function walk(page: Page): Promise<{ unseen: string[]; unreached: string[] }> {
  const unseen: string[] = []
  for (let presses = 0; presses < maxTabs; presses++) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate<{ wasReached: boolean; isSeen: boolean; html: string } | undefined>(noteFocus)
    if (focus === undefined || focus.wasReached) break
    if (!focus.isSeen) unseen.push(focus.html)
  }
  return { unseen, unreached: await page.evaluate<string[]>(listUnreached) }
}

test('finds a control that Tab does not reach, or whose focus is not visible', async () => {
  const opened = await site.newPage()
  const { page } = opened
  await visit(opened, '/settings')
  await page.waitForLoadState('networkidle')
  await page.evaluate(`for (const name of ['unseen', 'unreached']) {
    const planted = document.createElement('button')
    planted.textContent = planted.className = name
    if (name === 'unseen') planted.style.outline = 'none'
    else planted.addEventListener('focus', () => planted.blur())
    document.querySelector('main').append(planted)
  }`)
  const { unseen, unreached } = await walk(page)
  expect(unseen.map((html) => /class="(\w+)"/.exec(html)?.[1])).toEqual(['unseen'])
  expect(unreached.map((html) => /class="(\w+)"/.exec(html)?.[1])).toEqual(['unreached'])
})

test('Tab reaches every control of every page with a visible focus', { timeout: 240_000 }, async () => {
  const visitor = await site.newPage()
  const opened = await site.newPage()
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByText('Nothing here yet').waitFor()
  const pages = (await listPages(site)).filter(({ path }) => !path.includes('$'))
  expect(pages.length).toBeGreaterThan(8)
  for (const { path } of pages) {
    // The first page redirects signed-in users to their files.
    const user = path === '/' ? visitor : opened
    const { page } = user
    await visit(user, path)
    await page.waitForLoadState('networkidle')
    expect.soft([path, await walk(page)]).toEqual([path, { unseen: [], unreached: [] }])
  }
})

test('a polite region announces progress at most every five seconds', { timeout: 120_000 }, async () => {
  const { page, context, open, signIn } = await site.newPage()
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await page.evaluate(`
    window.announcedAt = []
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target.nodeType === 1 ? target : target.parentElement)?.closest('[role=status]')
        if (/percent/.test(region?.textContent ?? '')) window.announcedAt.push(performance.now())
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
  const session = await context.newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 256 * 1024,
  })
  await page.keyboard.press('u')
  const buffer = Buffer.alloc(2.5 * 1024 * 1024, 'stone')
  await page.setInputFiles('input[data-upload=files]', { name: 'large.txt', mimeType: 'text/plain', buffer })
  await startUpload(page, 'public')
  await page
    .getByRole('region', { name: 'Transfers' })
    .getByText('Stored', { exact: true })
    .waitFor({ timeout: 90_000 })
  const announcedAt: number[] = await page.evaluate('window.announcedAt')
  expect(announcedAt.length).toBeGreaterThanOrEqual(2)
  for (const [i, at] of announcedAt.slice(1).entries()) expect(at - (announcedAt[i] ?? 0)).toBeGreaterThan(4_900)
})

test('with system colours, controls have an edge, selections a mark, and the focus is visible', async () => {
  const { page, open } = await site.newPage()
  await page.emulateMedia({ forcedColors: 'active' })
  await open('/settings')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const edgeless: string[] = await page.evaluate(
    "[...document.querySelectorAll('button')].filter((one) => one.checkVisibility() && getComputedStyle(one).borderTopStyle !== 'solid').map((one) => one.textContent)",
  )
  expect(edgeless).toEqual([])
  const outlineOf = (name: string) =>
    page.getByRole('radio', { name }).evaluate((radio) => getComputedStyle(radio.parentElement ?? radio).outlineStyle)
  expect([await outlineOf('Blue'), await outlineOf('Green')]).toEqual(['solid', 'none'])
  expect([await outlineOf('System'), await outlineOf('Dark')]).toEqual(['solid', 'none'])
  await page.getByRole('button', { name: 'Connect wallet' }).first().focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px')
})

test('with system colours, icons, charts and tabs are visible also if the theme is the opposite of the system', async () => {
  const opened = await site.newPage()
  const { page, wallet, open, signIn } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  for (const name of ['one.txt', 'two.txt']) await uploadText(client, `content of ${name}`, { name })
  await open('/billing')
  await signIn()
  await visit(opened, '/billing')
  expect(await findHidden(page)).toEqual([])
  await open('/files')
  await page.getByRole('button', { name: 'Actions for one.txt' }).click()
  await page.keyboard.press('ArrowDown')
  await page.locator('[data-highlighted]').waitFor()
  expect(await findHidden(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Tags and colour' }).click()
  await page.getByRole('dialog').getByText('Purple').waitFor()
  expect(await findHidden(page)).toEqual([])
})

test('with system colours, the row that the arrow keys reached differs from the other selected ones', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  for (const name of ['one.txt', 'two.txt']) await uploadText(client, `content of ${name}`, { name })
  await open('/files')
  await signIn()
  await page.emulateMedia({ forcedColors: 'active' })
  for (const view of ['List', 'Grid']) {
    await page.getByRole('button', { name: view, exact: true }).click()
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+a')
    const outlines = () =>
      page
        .locator('[aria-selected=true]')
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).outlineStyle).sort())
    await expect.poll(outlines).toEqual(['dashed', 'solid'])
    await page.keyboard.press('Escape')
  }
})

test('nothing moves or fades for users who prefer reduced motion', async () => {
  const { page, open } = await site.newPage()
  const longest =
    "Math.max(...[...document.querySelectorAll('*')].flatMap((one) => { const { animationDuration, transitionDuration, transitionProperty } = getComputedStyle(one); return [...animationDuration.split(','), ...(transitionProperty === 'none' ? [] : transitionDuration.split(','))].map(parseFloat) }))"
  await open('/settings')
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.evaluate(longest)).toBeLessThanOrEqual(0.001)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await page.evaluate(longest)).toBeGreaterThan(0.05)
})

test('every button of the upload sheet and every menu item can be reached at 400 % zoom', async () => {
  // A window of 1280 by 1024 pixels at 400 %.
  const { page, open, signIn, problems } = await site.newPage({ width: 320, height: 256 })
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await page.keyboard.press('u')
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await sheet.waitFor()
  const files = ['one.txt', 'two.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.setInputFiles('input[data-upload=files]', files)
  await sheet.getByText('Total 14 B').waitFor()
  const buttons = await sheet.getByRole('button').all()
  expect(buttons.length).toBeGreaterThan(4)
  for (const button of buttons) await button.click({ trial: true })
  await startUpload(page, 'public')
  const transfers = page.getByRole('region', { name: 'Transfers' })
  await transfers.getByText('2 done').waitFor()
  await transfers.getByRole('button', { name: 'Hide transfers' }).click()

  await page
    .getByRole('row')
    .filter({ hasText: 'one.txt' })
    .getByRole('button', { name: /^Actions/ })
    .click()
  const menu = page.getByRole('menu')
  for (const item of await menu.getByRole('menuitem').all()) await item.click({ trial: true })
  await page.keyboard.press('End')
  const last = menu.getByRole('menuitem').last()
  const box = await last.boundingBox()
  expect((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0)).toBeLessThanOrEqual(256)
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('texts, rows and icons grow with the font size of the browser, as long as a narrow page is 20 rem wide', async () => {
  const { page, context, wallet, open, signIn } = await site.newPage({ height: 844 })
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadText(client, 'one', { name: 'one.txt', mimeType: 'text/plain' })
  const session = await context.newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 24 } })
  await page.reload()
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'one.txt' }) })
  const sizes = () =>
    row.evaluate((one) => [
      getComputedStyle(document.documentElement).fontSize,
      getComputedStyle(one.querySelector('a') ?? one).fontSize,
      one.getBoundingClientRect().height,
      one.querySelector('svg')?.getBoundingClientRect().width,
      document.documentElement.scrollWidth - innerWidth,
    ])
  await expect.poll(sizes, patience).toEqual(['24px', '19.5px', 78, 27, 0])
  // Below 40 rem, a row has two lines.
  await page.setViewportSize({ width: 900, height: 844 })
  await expect.poll(sizes, patience).toEqual(['24px', '19.5px', 102, 27, 0])
  await page.setViewportSize({ width: 400, height: 844 })
  await expect.poll(sizes, patience).toEqual(['20px', '16.25px', 85, 22.5, 0])
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 } })
  await expect.poll(sizes, patience).toEqual(['16px', '13px', 68, 18, 0])
})
