// The console as an installed app: what a browser needs to install it, and files that other apps share with it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('the console meets every installation requirement of the browser', async () => {
  const { page, open, context } = await site.newPage({ accounts: 0 })
  await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const devtools = await context.newCDPSession(page)
  const { errors, data = '' } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expect(JSON.parse(data)).toMatchObject({ name: 'Cairn', display: 'standalone', share_target: { method: 'POST' } })
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // A window without storage cannot install; the test causes that.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
})

test('files and text shared by another app are selected for upload, before or after signing in', async () => {
  const { page, context, open, signIn, checkAccessibility } = await site.newPage({
    theme: 'dark',
    width: 320,
    height: 720,
  })
  await open('/files')
  await signIn()
  // Registered shortly after the page has loaded, for this path only: no other request passes through it.
  await expect
    .poll(() =>
      page.evaluate("navigator.serviceWorker.getRegistration('/share-target').then((one) => one?.active?.state)"),
    )
    .toBe('activated')
  expect(await page.evaluate('navigator.serviceWorker.controller')).toBeNull()

  // Another app shares: a browser posts a form.
  const sharing = await context.newPage()
  sharing.setDefaultTimeout(60_000)
  await sharing.setContent(`<form method="post" enctype="multipart/form-data" action="${site.network.profile.api}/share-target">
    <input name="files" type="file" multiple><input name="title" value="A walk"><button>Share</button></form>`)
  await sharing.setInputFiles('input[type=file]', [
    { name: 'größe.txt', mimeType: 'text/plain', buffer: Buffer.from('12 km') },
    { name: 'map.png', mimeType: 'image/png', buffer: Buffer.alloc(700, 7) },
  ])
  await sharing.getByRole('button', { name: 'Share' }).click()
  await sharing.waitForURL('**/files')
  const sheet = sharing.getByRole('dialog', { name: 'Upload' })
  for (const name of ['größe.txt', 'map.png', 'shared.txt']) {
    await sheet.getByRole('button', { name: `Remove ${name}` }).waitFor()
  }
  expect(await sharing.evaluate("caches.has('cairn-shared')")).toBe(false)
  expect(await checkAccessibility()).toEqual([])
})

test('on a phone with a notch, no control lies under it or under the home indicator', async () => {
  const { page, context, open, signIn } = await site.newPage({ isPhone: true, width: 390, height: 844 })
  const devtools = await context.newCDPSession(page)
  const setInsets = (insets: Record<string, number>) => devtools.send('Emulation.setSafeAreaInsetsOverride', { insets })
  const edgesOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        return { left, right, top, bottom }
      })
  await open('/files')
  await signIn()
  await setInsets({ top: 47, bottom: 34 })
  await page.getByRole('button', { name: 'Show transfers' }).click()
  const panel = await edgesOf('[data-transfers]')
  expect(panel.bottom).toBeLessThan((await edgesOf('[data-bottom-bar]')).top)
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Encrypt and upload' }).waitFor()
  await expect.poll(async () => (await edgesOf('[role=dialog] footer')).bottom).toBe(844 - 34)
  await page.keyboard.press('Escape')

  // Rotated to landscape.
  await page.setViewportSize({ width: 844, height: 390 })
  await setInsets({ left: 47, right: 47, bottom: 21 })
  expect((await edgesOf('nav')).left).toBe(47)
  expect((await edgesOf('header')).right).toBe(844 - 47)
  await page.getByRole('button', { name: 'Notifications' }).click()
  await expect.poll(async () => (await edgesOf('[role=dialog] footer')).bottom).toBe(390 - 21)
  expect((await edgesOf('[role=dialog] header')).right).toBe(844 - 47)
})
