// The console in a second language: how it is chosen, what is loaded for it, and each page in it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLink, createName, shareFile, uploadEncryptedText, uploadFolder, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRemoved, saveIntoStorage } from './browser-storage.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { createAccountClient } from './wallet-client.ts'

const longTestMs = 300_000
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const languageOf = ({ page }: ConsolePage) =>
  page.evaluate('[document.documentElement.lang, document.documentElement.dir].join()')

/** Opens an address, and waits until its content has loaded. */
async function visit({ page, open }: ConsolePage, path: string): Promise<void> {
  await open(path)
  await page.getByRole('heading').first().waitFor()
  await expect.poll(() => page.locator('.animate-skeleton').count()).toBe(0)
}

/** States checked with axe: the English version of every page passes, and a language changes only texts. */
const judged = ['/', '/files', '/settings', 'access', 'the upload sheet']

/** Checks the page as it is, and that it fits 320 px. */
async function look({ page, checkAccessibility }: ConsolePage, state: string): Promise<void> {
  const beyond = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)'
  if (judged.includes(state)) expect.soft([state, await checkAccessibility()]).toEqual([state, []])
  await page.setViewportSize({ width: 320, height: 640 })
  await expect.poll(() => page.evaluate(beyond), { message: state }).toBe(0)
  const cut = `[...document.querySelectorAll('button, [role=radio], label')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1 && !one.querySelector('.truncate'))
    .map((one) => one.textContent)`
  expect.soft([state, await page.evaluate(cut)]).toEqual([state, []])
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** Connects and signs in, in English or German. */
async function signIn({ page, wallet }: ConsolePage): Promise<void> {
  const connect = page.getByRole('button', { name: /^(?:Connect wallet|Wallet verbinden)$/ })
  await connect.first().click()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await page.getByRole('button', { name: /^(?:Account|Konto) 0x/ }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('uses the language of the browser if the console has it, and loads no other', async () => {
  const scripts = async (locale: string) => {
    const opened = await site.newPage({ locale, accounts: 0 })
    const asked: string[] = []
    opened.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await visit(opened, '/')
    return { language: await languageOf(opened), german: asked.filter((path) => path.startsWith('/assets/de-')) }
  }
  expect(await scripts('de-CH')).toEqual({ language: 'de,ltr', german: [expect.any(String)] })
  for (const locale of ['en-GB', 'fr-FR']) expect(await scripts(locale)).toEqual({ language: 'en,ltr', german: [] })
})

test('describes the installed app in the language of the browser, and the page without scripts in each language', async () => {
  const describedAs = async (locale: string) => {
    const { page, open } = await site.newPage({ locale, accounts: 0 })
    await open('/')
    return page.evaluate(
      "fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json()).then(({ lang, id, description }) => [lang, id, description])",
    )
  }
  expect(await describedAs('de-AT')).toEqual(['de', '/', expect.stringMatching(/^Dateien nach ihrem Inhalt/)])
  expect(await describedAs('fr-FR')).toEqual(['en', '/', expect.stringMatching(/^Store, encrypt and share/)])

  // Read as sent, because not every browser lets a test disable JavaScript.
  const sent = await (await fetch(site.network.profile.api, { headers: { accept: 'text/html' } })).text()
  const withoutScripts = /<noscript>(.*?)<\/noscript>/s.exec(sent)?.[1]
  expect(withoutScripts).toContain('<p lang="en">Cairn’s console needs JavaScript.')
  expect(withoutScripts).toContain('<p lang="de">Die Konsole von Cairn braucht JavaScript.')
})

test('keeps the language chosen in Settings after a reload, until the browser’s own is chosen again', async () => {
  const opened = await site.newPage({ locale: 'de-DE' })
  const { page } = opened
  await visit(opened, '/settings')
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await page.getByText('English', { exact: true }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  expect(await languageOf(opened)).toBe('en,ltr')
  await page.reload()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  expect(await page.getByRole('radio', { name: 'English' }).isChecked()).toBe(true)
  await page.getByText('Same as browser', { exact: true }).click()
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  expect(await languageOf(opened)).toBe('de,ltr')
})

test('falls back to English for texts that fail to load', async () => {
  const opened = await site.newPage({ locale: 'de-DE', accounts: 0 })
  opened.expectProblem(/Failed to load resource|net::ERR_FAILED/)
  await opened.page.route('**/assets/de-*', (route) => route.abort())
  await visit(opened, '/settings')
  await opened.page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  expect(await languageOf(opened)).toBe('en,ltr')
})

test('every page is readable in German and fits 320 px', { timeout: longTestMs }, async () => {
  const opened = await site.newPage({ locale: 'de-DE' })
  const { page, wallet } = opened
  const folder = site.network.storage.context.config.consoleFolder ?? ''
  const pages: { path: string; title?: string }[] = JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8'))
  await visit(opened, '/')
  await look(opened, '/')
  await signIn(opened)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadText(client, 'Steine am Weg', { name: 'steine.txt' })
  const locked = await uploadEncryptedText(client, 'Nur für mich', { name: 'geheim.txt' })
  await shareFile(client, locked.cid, ['0x00000000000000000000000000000000000000aa'])
  await createName(client, { label: 'Webseite' })
  const titles = new Set<string>()
  for (const { path, title } of pages.filter(({ path }) => path !== '/' && !path.includes('$'))) {
    await visit(opened, path)
    if (title !== undefined) titles.add(await page.title())
    await look(opened, path)
  }
  expect([...titles]).toEqual(
    [
      'Dateien',
      'Freigaben',
      'Links',
      'Namen',
      'Abrechnung',
      'Nachweise',
      'Aktivität',
      'API-Schlüssel',
      'Einstellungen',
      'Status',
    ].map((title) => `${title} · Cairn`),
  )
  await visit(opened, '/api-keys')
  await page.getByText(/^Sitzung der Konsole/).waitFor()
  await visit(opened, '/activity')
  await page.getByText(/^In der Konsole angemeldet, bis /).waitFor()
  for (const path of [
    `/files/${cid}`,
    `/files/${cid}?tab=details`,
    `/files/${locked.cid}/access`,
    `/proofs/${cid}`,
    '/names/no/such/page',
  ]) {
    await visit(opened, path)
    await look(opened, path.endsWith('access') ? 'access' : path)
  }
  await visit(opened, '/files')
  await page.getByText('2 Elemente', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Hochladen' }).first().click()
  await page.getByRole('dialog', { name: 'Hochladen' }).waitFor()
  await look(opened, 'the upload sheet')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Tastenkürzel' }).getByText('Leertaste').waitFor()
  await look(opened, 'shortcuts')
  // The words between keys do not wrap.
  const between = page.getByRole('dialog').getByText(/^(?:oder|dann)$/)
  const lines = await between.evaluateAll((words) => words.map((one) => one.getBoundingClientRect().height))
  expect(lines.length).toBeGreaterThan(10)
  expect(Math.max(...lines)).toBe(Math.min(...lines))
})

test('the filters of Files are beside its heading at 1280 px in each language', async () => {
  for (const locale of ['en-US', 'de-DE']) {
    const opened = await site.newPage({ locale })
    const { page, wallet, open } = opened
    await open('/files')
    await signIn(opened)
    const client = await createAccountClient(site.network, wallet.accounts[0])
    await uploadText(client, `first in ${locale}`, { name: 'first.txt' })
    for (const place of ['/files', '/files?place=uploads']) {
      await open(place)
      await page.getByRole('link', { name: 'first.txt' }).waitFor()
      // Leaves space for the widest system scrollbar, because Chromium shows none in tests.
      await page.evaluate(
        `document.documentElement.style.paddingRight = 17 - innerWidth + document.documentElement.clientWidth + 'px'`,
      )
      const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
      const filters = page.getByRole('group', { name: /^Filters?$/ })
      const top = (await filters.boundingBox())?.y ?? Number.POSITIVE_INFINITY
      expect(top, `${locale} ${place}`).toBeLessThan((heading?.y ?? 0) + (heading?.height ?? 0))
      // None is scrolled out of view.
      expect(await filters.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
    }
  }
})

test('the access options fit one line on a phone in each language', async () => {
  const words = { 'en-US': ['Upload', 'Encrypted'], 'de-DE': ['Hochladen', 'Verschlüsselt'] } as const
  for (const [locale, [title, first]] of Object.entries(words)) {
    const opened = await site.newPage({ locale, width: 360, height: 740, isPhone: true })
    const { page, open, checkAccessibility } = opened
    await open('/')
    await signIn(opened)
    await open('/files')
    await page.getByRole('button', { name: title }).first().click()
    const sheet = page.getByRole('dialog', { name: title })
    const choice = sheet.getByRole('group').filter({ has: page.getByRole('radio', { name: first }) })
    await choice.waitFor()
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 740 })
      const options = await choice.locator('label').all()
      const boxes = await Promise.all(options.map((option) => option.boundingBox()))
      expect(boxes).toHaveLength(3)
      expect(new Set(boxes.map((box) => box?.y)).size, `${locale} at ${width} px`).toBe(1)
      expect(Math.max(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0)))).toBeLessThanOrEqual(width)
      // Texts in one line, with icons above them.
      for (const box of boxes) expect(box?.height).toBeLessThan(60)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    expect(await checkAccessibility()).toEqual([])
  }
})

test('the details of a link fit their card on the narrowest phone in each language', async () => {
  for (const locale of ['en-US', 'de-DE']) {
    const opened = await site.newPage({ locale, width: 320, height: 568, isPhone: true })
    const { page, wallet, open } = opened
    const client = await createAccountClient(site.network, wallet.accounts[0])
    const { cid } = await uploadEncryptedText(client, 'Dear Ida', { name: 'letter.txt' })
    const { url } = await createLink(client, cid)
    await open(url.slice(new URL(url).origin.length))
    const card = page.locator('main form div').filter({ has: page.locator('> dl') })
    await card.waitFor()
    const outer = await card.boundingBox()
    const inner = await card.getByRole('button').boundingBox()
    const rightOf = (box: typeof outer) => (box?.x ?? 0) + (box?.width ?? 0)
    expect.soft([locale, rightOf(inner) <= rightOf(outer)]).toEqual([locale, true])
  }
})

test('explains a service error by its code', async () => {
  const opened = await site.newPage({ locale: 'de-DE' })
  const { page } = opened
  await visit(opened, '/names')
  await signIn(opened)
  await page.getByRole('button', { name: 'Namen erstellen' }).first().click()
  await page.getByRole('dialog').getByLabel('Bezeichnung').fill('seite\u202egnp.txt')
  await page.getByRole('dialog').getByRole('button', { name: 'Namen erstellen' }).click()
  await page
    .getByText(/Der Name enthält Zeichen, die sich nicht anzeigen lassen.*Zeilenumbrüche, Steuerzeichen/)
    .waitFor()
  await page.getByText('Code INVALID_LABEL').waitFor()
})

test('a failed ZIP says why and leaves no file, also on retry', async () => {
  const opened = await site.newPage({ locale: 'de-DE' })
  const { page, context, wallet, checkAccessibility } = opened
  await context.addInitScript(saveIntoStorage)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  // A backslash is a character in a stored folder, and a separator on some systems.
  const entries = [
    { path: 'a.txt', content: 'a' },
    { path: '..\\b.txt', content: 'b' },
  ]
  await uploadFolder(client, entries, { name: 'Ordner' })
  await uploadText(client, 'c', { name: 'c.txt' })
  await visit(opened, '/files')
  await signIn(opened)
  await page.getByRole('link', { name: 'Ordner' }).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('region', { name: 'Ausgewählte Dateien' }).getByRole('button', { name: 'Herunterladen' }).click()
  const dialog = page.getByRole('dialog', { name: '2 Elemente als ZIP herunterladen' })
  await dialog.getByRole('button', { name: /^ZIP sichern, etwa/ }).click()
  const alert = dialog.getByRole('alert').filter({ hasText: 'Das ZIP wurde nicht gesichert' })
  await alert.getByText(/Namen, der sich nicht sicher entpacken lässt: „Ordner\/\.\.\\b\.txt“/).waitFor()
  await alert.getByText('Code INVALID_PATH').waitFor()
  await expectRemoved(page, 'Cairn-Dateien.zip')
  expect(await checkAccessibility()).toEqual([])
  await look(opened, 'a ZIP that fails')
  // The retry fails so soon that its progress would not be seen.
  const { promise: isSeen, resolve: goOn } = Promise.withResolvers<void>()
  await context.route(/\/ipfs\//, async (route) => {
    await isSeen
    await route.continue()
  })
  await alert.getByRole('button', { name: 'Noch einmal' }).click()
  await alert.waitFor({ state: 'detached' })
  goOn()
  await alert.waitFor()
  await expectRemoved(page, 'Cairn-Dateien.zip')
})

test('formats sizes, amounts and dates in German', async () => {
  const opened = await site.newPage({ locale: 'de-DE' })
  const { page } = opened
  await visit(opened, '/')
  await page
    .getByText(/^\d+,\d\d\s\$$/)
    .first()
    .waitFor()
  await signIn(opened)
  await visit(opened, '/billing')
  await page.getByText('Andere', { exact: true }).click()
  await page.getByLabel('Menge').fill('1,5')
  await page.getByText(/^0,\d+\sETH$/).waitFor()
})
