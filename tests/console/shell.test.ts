// The frame of every page: shortcuts, the palette, a lost network, unknown addresses.
import { uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startUpload } from './start-upload.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function openSignedIn(prepare?: (page: ConsolePage['page']) => Promise<unknown>): Promise<ConsolePage> {
  const opened = await site.newPage()
  await prepare?.(opened.page)
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByText('Nothing here yet').waitFor()
  return opened
}

test('without a network, the page says so, keeps its content, and continues when it is back', async () => {
  const { page, context, expectProblem } = await openSignedIn()
  // The bell requests events, and its code is loaded after the page.
  await page.getByRole('button', { name: /notification/i }).waitFor()
  // The worker for shared files may be fetched later, too.
  expectProblem(/ERR_INTERNET_DISCONNECTED|An unknown error occurred when fetching the script/)
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page.getByText('Nothing here yet').waitFor()
  await context.setOffline(false)
  await page.getByText('You are offline').waitFor({ state: 'detached' })
})

test('shortcuts open help and pages, and do nothing while typing or when disabled', async () => {
  const { page, problems, checkAccessibility } = await openSignedIn()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  // Those of the folders are among them.
  for (const key of ['F2', 'Ctrl X', 'Ctrl V', 'Backspace']) await help.getByText(key, { exact: true }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('u')
  await page.waitForURL(/\/files\?q=u/)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Clear search', exact: true }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('checkbox', { name: /^Single-letter shortcuts/ }).uncheck()
  await page.keyboard.press('u')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(problems).toEqual([])
})

test('Ctrl+K, or a button on a phone, finds files, pages and actions by keyboard, and returns the focus', async () => {
  const { page, problems, checkAccessibility } = await openSignedIn()
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', {
    name: 'loose.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('loose'),
  })
  await startUpload(page, 'public')
  const link = page.getByRole('link', { name: 'loose.txt' })
  await link.waitFor()
  await link.focus()
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  const field = palette.getByRole('combobox', { name: 'File, page or action' })
  const chosen = palette.getByRole('option', { selected: true })
  await page.keyboard.press('Control+k')
  await palette
    .getByRole('group', { name: 'Recent files' })
    .getByRole('option', { name: /loose\.txt/ })
    .waitFor()
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  expect(await link.evaluate((one) => one === document.activeElement)).toBe(true)
  // A page, with the arrows.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('the')
  await expect.poll(() => chosen.textContent()).toBe('Theme: Light')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => chosen.textContent()).toBe('Theme: System')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  await palette.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('nothing of this name')
  await palette.getByText('No results', { exact: true }).waitFor()
  await field.fill('prov')
  await palette.getByText('No results', { exact: true }).waitFor()
  await field.fill('names')
  await page.keyboard.press('Enter')
  await page.getByText('No names yet').waitFor()
  // Below 640 px, from the bottom bar; a file that the service finds.
  await page.setViewportSize({ width: 360, height: 700 })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Search and commands' }).click()
  await field.fill('loo')
  await palette
    .getByRole('group', { name: 'Files' })
    .getByRole('option', { name: /loose\.txt/ })
    .waitFor()
  expect(await checkAccessibility()).toEqual([])
  await palette.getByRole('option', { name: /loose\.txt/ }).click()
  await page.getByRole('dialog', { name: 'loose.txt' }).waitFor()
  expect(problems).toEqual([])
})

test('no part of the page moves when a dialog opens over it, with or without a scrollbar', async () => {
  const { page, open } = await openSignedIn()
  const account = page.getByRole('button', { name: /^Account 0x/, includeHidden: true })
  const placeOf = async () => (await account.boundingBox())?.x
  for (const [path, isLong] of [
    ['/files', false],
    ['/settings', true],
  ] as const) {
    await open(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const isScrollable = 'document.documentElement.scrollHeight > document.documentElement.clientHeight'
    await expect.poll(() => page.evaluate(isScrollable)).toBe(isLong)
    const before = await placeOf()
    await account.click()
    await page.getByRole('dialog', { name: 'Account' }).waitFor()
    expect([path, await placeOf()]).toEqual([path, before])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

test('the heading of every page in the navigation is at the same place', async () => {
  const { page } = await openSignedIn()
  await page.setViewportSize({ width: 1440, height: 900 })
  const pages = await page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').allTextContents()
  const lefts: Record<string, number | undefined> = {}
  for (const name of pages) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
    const heading = page.getByRole('heading', { level: 1, name, exact: true })
    await heading.waitFor()
    lefts[name] = (await heading.boundingBox())?.x
  }
  expect(pages).toContain('Links')
  expect(new Set(Object.values(lefts)).size, JSON.stringify(lefts)).toBe(1)
})

test('reports an unknown address inside the console', async () => {
  const { page, problems, open, signIn, checkAccessibility } = await site.newPage()
  await open('/names/x/y/z')
  await signIn()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('link', { name: 'Go to your files' }).click()
  await page.getByText('Nothing here yet').waitFor()
  expect(problems).toEqual([])
})

test('reports an address that the service does not have as a page in the style of the console', async () => {
  const { page, problems, signIn, checkAccessibility } = await site.newPage()
  const response = await page.goto('/no/such/page')
  expect(response?.status()).toBe(404)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('link', { name: 'Go to your files' }).click()
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  expect(problems).toEqual([])
})

test('text typed before the palette opens is neither lost nor a shortcut', async () => {
  const { page } = await openSignedIn()
  const { promise: isWanted, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/assets\/Palette-/, async (route) => {
    await isWanted
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('upx')
  await page.keyboard.press('Backspace')
  expect(await page.getByRole('dialog').count()).toBe(0)
  release()
  await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('up')
  await page.keyboard.type('load')
  await page.getByRole('option', { name: 'Upload files' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Upload' }).waitFor()
})

/** What covers the focused element, or the active row of its grid: the text of the bar, or '' for none. */
const coverOfFocus = `(() => {
  const focused = document.activeElement
  const row = document.getElementById(focused.getAttribute('aria-activedescendant') ?? '')
  const shown = row ?? focused
  const { left, right, top, bottom } = shown.getBoundingClientRect()
  return [top + 2, bottom - 2].flatMap((y) => {
    const hit = document.elementFromPoint((left + right) / 2, y)
    const bar = hit?.closest('header, nav, section, [data-list-head]')
    return hit === null ? ['outside'] : bar === null || bar === undefined || bar.contains(shown) ? [] : [bar.textContent]
  }).join()
})()`

test('no bar covers the focused control, on the smallest phone and in a list', async () => {
  const { page, wallet, open, signIn } = await site.newPage({ width: 320, height: 568 })
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  const barTop = (await page.getByRole('navigation', { name: 'Main' }).boundingBox())?.y ?? 0
  const fits = async (name: string) => {
    const { y = 0, height = 0 } = (await page.getByRole('main').getByRole('button', { name }).boundingBox()) ?? {}
    return [name, y > 0 && y + height < barTop]
  }
  for (const name of ['Upload', 'Try it with a sample']) expect.soft(await fits(name)).toEqual([name, true])
  // The field has space for two characters, and half of one does not count.
  const shade = "getComputedStyle(document.querySelector('#search'), '::placeholder').color"
  expect(await page.evaluate(shade)).toBe('rgba(0, 0, 0, 0)')
  const covered: [string, string][] = []
  for (const path of ['/settings', '/names', '/files']) {
    await open(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const name = () => page.evaluate<string>('document.activeElement.textContent')
    await page.keyboard.press('Tab')
    for (let at = 0; at < 60 && (await page.evaluate('document.activeElement !== document.body')); at++) {
      // The skip link lies over the bars.
      const cover = at === 0 ? '' : await page.evaluate<string>(coverOfFocus)
      if (cover !== '') covered.push([`${path} ${await name()}`, cover])
      await page.keyboard.press('Tab')
    }
  }
  expect(covered).toEqual([])

  const client = await createAccountClient(site.network, wallet.accounts[0])
  for (let at = 10; at < 50; at++) await uploadText(client, `Note ${at}`, { name: `note ${at}.txt` })
  for (const [width, height] of [
    [320, 568],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.reload()
    await page.getByRole('link', { name: 'note 10.txt' }).waitFor()
    await page.getByRole('grid').focus()
    for (const [key, times] of [
      ['ArrowDown', 25],
      ['ArrowUp', 18],
      ['End', 1],
      ['ArrowUp', 25],
    ] as const) {
      for (let at = 0; at < times; at++) await page.keyboard.press(key)
      // The visible rows are drawn shortly after the scroll.
      await expect.poll(() => page.evaluate(coverOfFocus), { message: `${width} px, ${key}` }).toBe('')
    }
    // The selection bar is a different one.
    await page.keyboard.press('Control+a')
    await page.getByRole('region', { name: 'Selected files' }).waitFor()
    for (let at = 0; at < 15; at++) await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.evaluate(coverOfFocus), { message: `${width} px, selection` }).toBe('')
  }
})

// Firefox emulates no touch screen, whose lines are higher.
test.skipIf(isFirefox)(
  'on the smallest phone, the upload sheet shows what was chosen, and a long menu shows that it scrolls',
  async () => {
    for (const [locale, upload, nameOf, actionsFor] of [
      ['en-US', 'Upload', 'Name of note.txt', 'Actions for note.txt'],
      ['de-DE', 'Hochladen', 'Name von note.txt', 'Aktionen für note.txt'],
    ] as const) {
      const { page, wallet, open } = await site.newPage({ width: 320, height: 568, isPhone: true, locale })
      const client = await createAccountClient(site.network, wallet.accounts[0])
      await uploadText(client, 'Note', { name: 'note.txt' })
      await open('/files')
      await page.getByRole('banner').getByRole('button').last().click()
      await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
      await page.getByRole('button', { name: actionsFor }).click()
      const menu = page.getByRole('menu')
      await menu.waitFor()
      const shade = () =>
        menu.evaluate((one) => {
          const { backgroundAttachment } = getComputedStyle(one)
          return [one.scrollHeight > one.clientHeight, backgroundAttachment.startsWith('local, local, scroll, scroll')]
        })
      expect.soft([locale, ...(await shade())]).toEqual([locale, true, true])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: upload }).first().click()
      const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Note') }
      await page.setInputFiles('input[data-upload=files]', file)
      const field = page.getByRole('textbox', { name: nameOf })
      await field.waitFor()
      const hasRoom = await field.evaluate((one) => {
        const { left, bottom } = one.getBoundingClientRect()
        return one.contains(document.elementFromPoint(left + 20, bottom - 2))
      })
      expect.soft([locale, hasRoom]).toEqual([locale, true])
    }
  },
)

/** Runs in the page: the controls that are smaller than a finger needs, by name and size. Rows open wherever they are tapped. */
const findSmallTargets = `[...document.querySelectorAll('a, button, input, select, textarea, summary')].flatMap((one) => {
  const { width, height } = (one.closest('label') ?? one).getBoundingClientRect()
  const isShown = one.checkVisibility({ visibilityProperty: true }) && width > 0 && getComputedStyle(one).display !== 'inline'
  const isOther = one.closest('[data-file], [href="#content"]') !== null && one.tagName === 'A'
  if (!isShown || isOther || one.type === 'file' || (width >= 43.5 && height >= 43.5)) return []
  return [(one.ariaLabel || one.textContent).trim() + ' ' + Math.round(width) + 'x' + Math.round(height)]
})`

/** Runs in the page: the fields with texts below 16 px, into which iOS zooms when they get the focus. */
const findSmallTexts = `[...document.querySelectorAll('input, select, textarea')].flatMap((one) => {
  const { fontSize } = getComputedStyle(one)
  const hasText = !['checkbox', 'radio', 'range', 'file'].includes(one.type)
  return hasText && Number.parseFloat(fontSize) < 16 ? [one.type + ' ' + fontSize] : []
})`

test.skipIf(isFirefox)(
  'on a phone, controls are at least 44 px wide and high, and fields have texts of 16 px',
  async () => {
    const { page, wallet, open, signIn } = await site.newPage({ width: 390, height: 844, isPhone: true })
    const client = await createAccountClient(site.network, wallet.accounts[0])
    await uploadText(client, 'Note', { name: 'note.txt' })
    await open('/files')
    await signIn()
    await page.getByRole('link', { name: 'note.txt' }).waitFor()
    expect.soft(['/files', await page.evaluate(findSmallTargets)]).toEqual(['/files', []])
    for (const [path, shown] of [
      ['/activity', page.getByRole('link', { name: 'note.txt' })],
      ['/billing', page.getByText('Show as a table').first()],
      ['/settings', page.getByRole('link', { name: 'Network status' })],
    ] as const) {
      await open(path)
      await shown.waitFor()
      expect.soft([path, await page.evaluate(findSmallTargets)]).toEqual([path, []])
    }
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.setInputFiles('input[data-upload=files]', {
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('a'),
    })
    await page.getByRole('textbox', { name: 'Name of a.txt' }).waitFor()
    expect.soft(await page.evaluate(findSmallTexts)).toEqual([])
    await page.getByRole('dialog').getByText('Text', { exact: true }).click()
    await page.locator('textarea').waitFor()
    expect.soft(await page.evaluate(findSmallTexts)).toEqual([])
  },
)

test('logs an error of a page with the location that it comes from', async () => {
  const { page, problems, expectProblem } = await site.newPage()
  // A script of the page itself, because its policy runs no other.
  await page.route('**/first-paint.js', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      body: `${await response.text()}\nsetTimeout(() => { throw new Error('planted') })`,
    })
  })
  await page.goto('/')
  await expect.poll(() => problems.join()).toMatch(/planted[\s\S]*\(http:\/\/[^ )]+\/first-paint\.js:\d+:\d+\)/)
  expectProblem(/planted/)
})

test('says that the console did not start, in the language of the browser, and reloads', async () => {
  const { page, expectProblem } = await site.newPage({ locale: 'de-DE', accounts: 0 })
  expectProblem(/ERR_FAILED|Failed to load/)
  const script = '**/assets/index-*.js'
  await page.route(script, (route) => route.abort())
  await page.goto('/settings')
  await page
    .getByRole('alert')
    .getByText(/^Die Konsole ließ sich nicht laden\./)
    .waitFor()
  await page.unroute(script)
  await page.getByRole('button', { name: 'Neu laden' }).click()
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
})

test('a palette that fails to load captures no keys, and opens once it loads', async () => {
  // From the start, because the page prefetches it.
  const { page, expectProblem } = await openSignedIn((one) =>
    one.route('**/assets/Palette-*.js', (route) => route.abort()),
  )
  expectProblem(/net::ERR_FAILED/)
  expectProblem(/^A part of the page was not loaded: /)
  await page.keyboard.press('Control+k')
  await page.getByText('Part of the page did not load').waitFor()
  const search = page.getByRole('searchbox')
  await search.focus()
  await page.keyboard.type('abc')
  expect(await search.inputValue()).toBe('abc')
  await page.keyboard.press('Tab')
  expect(await search.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(false)
  await page.unroute('**/assets/Palette-*.js')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  // Firefox caches the failure until the page is reloaded, which the first retry does.
  await expect
    .poll(async () => {
      await page.keyboard.press('Control+k')
      return page.getByRole('combobox').count()
    })
    .toBe(1)
})

test('the skip link to the content keeps the secret of a link in the address', async () => {
  const { page, open } = await site.newPage({ accounts: 0 })
  await open('/upload-link#the-secret')
  await page.getByRole('main').getByRole('heading').waitFor()
  const address = page.url()
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content')
  expect(page.url()).toBe(address)
})

// In Firefox, a setting of its profile.
test.skipIf(isFirefox)(
  'with system colours, pressed buttons differ from others, and dialogs have an edge',
  async () => {
    const { page, wallet, open } = await openSignedIn()
    await uploadText(await createAccountClient(site.network, wallet.accounts[0]), 'one', { name: 'one.txt' })
    await page.emulateMedia({ forcedColors: 'active' })
    await open('/files?access=public')
    const outlineOf = (name: string) =>
      page.getByRole('button', { name, exact: true }).evaluate((one) => getComputedStyle(one).outlineStyle)
    await page.getByRole('button', { name: 'Public', exact: true }).waitFor()
    expect(await Promise.all(['Public', 'Private', 'List', 'Grid'].map(outlineOf))).toEqual([
      'solid',
      'none',
      'solid',
      'none',
    ])
    await page.keyboard.press('u')
    const edge = await page
      .getByRole('dialog', { name: 'Upload' })
      .evaluate((one) => getComputedStyle(one).borderTopStyle)
    expect(edge).toBe('solid')
  },
)

test('shows its mark while its code is loading, without counting as the first content', async () => {
  const { page } = await site.newPage({ accounts: 0 })
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/', { waitUntil: 'commit' })
  const mark = page.locator('#root > [aria-hidden=true]')
  await mark.waitFor()
  expect(
    await mark.evaluate((one) => one.querySelectorAll('text, svg, img').length + (one.textContent ?? '').trim().length),
  ).toBe(0)
  // Parts that load after the first paint would otherwise compete with the code of the page.
  expect(await page.evaluate("performance.getEntriesByName('first-contentful-paint').length")).toBe(0)
  held.resolve()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await mark.count()).toBe(0)
})
