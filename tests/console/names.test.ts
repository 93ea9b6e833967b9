// Names: created, published, opened on the gateway, updated, exported, removed; all from the page.
import {
  createClient,
  createName,
  exportNameKey,
  importNameKey,
  listNames,
  publishName,
  uploadEncryptedText,
  uploadText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { act, createFolder, link, openDrivePage } from './drive-page.ts'
import { createAccountClient } from './wallet-client.ts'

/** The machine may be busy. */
const patience = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function clientOf({ page }: ConsolePage) {
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  return createClient({ network: site.network.profile, apiKey })
}

test('creates a name, publishes it twice, opens it on the gateway, and reverts it from its history', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/names')
  await opened.signIn()
  await page.getByText('No names yet').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  const client = await clientOf(opened)
  const first = await uploadText(client, 'the first version', { name: 'first.txt' })
  const second = await uploadText(client, 'the second version', { name: 'second.txt' })

  await page.getByRole('button', { name: 'Create name' }).click()
  await page.getByLabel('Label').fill('my-site')
  await page.getByRole('dialog').getByRole('button', { name: 'Create name' }).click()
  await page.getByRole('heading', { level: 1, name: 'my-site' }).waitFor()
  await page.getByRole('heading', { name: 'Never published' }).waitFor()
  const name = new URL(page.url()).pathname.split('/').at(-1) ?? ''

  // One of the account's files.
  await page.getByRole('main').getByRole('button', { name: 'Publish' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('Choose a file.').waitFor()
  await dialog.getByText('first.txt').click()
  expect(await opened.checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Verified in your browser', { exact: true }).waitFor()
  await page.getByRole('link', { name: `/ipfs/${first.cid}` }).waitFor()
  const link = `${site.network.profile.gateway}/ipns/${name}`
  expect(await page.getByRole('link', { name: 'Open on the gateway' }).getAttribute('href')).toBe(link)
  expect(await (await fetch(link)).text()).toBe('the first version')

  // Some content with a CID; an invalid value is marked at its field.
  await page.getByRole('main').getByRole('button', { name: 'Publish', exact: true }).click()
  await dialog.getByText('A CID, path or another name').click()
  await dialog.getByLabel('CID, path or name').fill('not a cid')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await expect.poll(() => dialog.getByLabel('CID, path or name').getAttribute('aria-invalid'), patience).toBe('true')
  await dialog.getByLabel('CID, path or name').fill(second.cid)
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('link', { name: `/ipfs/${second.cid}` }).waitFor()
  // Files have their names, and versions no ten-digit numbers.
  await page.getByRole('region', { name: 'Points to' }).getByText('second.txt').waitFor()
  await page.getByRole('button', { name: 'Publish first.txt again' }).waitFor()
  expect(await page.getByText(/version \d{5}/).count()).toBe(0)
  expect(await opened.checkAccessibility()).toEqual([])

  // Back to the previous target.
  await page.getByRole('button', { name: 'Publish first.txt again' }).click()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('link', { name: `/ipfs/${first.cid}` }).waitFor()
  await page.getByRole('link', { name: 'All names' }).click()
  await page.getByRole('listitem').filter({ hasText: 'my-site' }).getByText('first.txt').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('creating a name after its dialog was closed affects neither the next dialog nor the page', async () => {
  const { page, open, signIn } = await site.newPage()
  await open('/names')
  await signIn()
  await page.getByText('No names yet').waitFor()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/names',
    async (route) => {
      if (route.request().method() === 'POST') await promise
      await route.continue()
    },
  )
  await page.getByRole('button', { name: 'Create name' }).click()
  const dialog = page.getByRole('dialog')
  const asked = page.waitForRequest((request) => request.method() === 'POST')
  await dialog.getByRole('button', { name: 'Create name' }).click()
  await asked
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create name' }).click()
  await page.getByLabel('Label').fill('typed meanwhile')
  resolve()
  await page.getByText('Name created').waitFor()
  expect(await page.getByLabel('Label').inputValue()).toBe('typed meanwhile')
  expect(new URL(page.url()).pathname).toBe('/names')
})

test('publishes a listed file to a new and to an existing name', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/files')
  await opened.signIn()
  const client = await clientOf(opened)
  const { cid } = await uploadText(client, 'from the list', { name: 'listed.txt' })
  await page.reload()
  const dialog = page.getByRole('dialog')
  const publish = async () => {
    await page.getByRole('button', { name: 'Actions for listed.txt' }).click()
    await page.getByRole('menuitem', { name: 'Publish to a name' }).click()
    // The names arrive after the dialog has opened.
    const chosen = dialog.getByRole('radio', { checked: true })
    await expect
      .poll(() => chosen.evaluate((radio) => radio === radio.ownerDocument.activeElement), patience)
      .toBe(true)
  }
  await publish()
  await dialog.getByLabel('Label').fill('fresh')
  expect(await opened.checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('heading', { level: 1, name: 'fresh' }).waitFor()
  await page.getByRole('link', { name: `/ipfs/${cid}` }).waitFor()
  await page.getByRole('link', { name: 'Files', exact: true }).first().click()
  await publish()
  expect(await dialog.getByRole('radio', { name: /^fresh/ }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('button', { name: /^Publish .* again$/ }).waitFor()
  expect(problems).toEqual([])
})

test('offers files by the names of their folders, and encrypted ones with the lock icon', async () => {
  const opened = await openDrivePage(site, ['plain.txt'])
  const { page, client } = opened
  const { cid } = await uploadEncryptedText(
    await createAccountClient(site.network, opened.wallet.accounts[0]),
    'only for its owner',
    { name: 'closed.txt' },
  )
  await page.reload()
  await link(page, 'closed.txt').waitFor()
  await createFolder(page, 'letters')
  await act(page, 'plain.txt', 'Rename')
  await page.getByRole('dialog').getByRole('textbox').fill('renamed.txt')
  await page.keyboard.press('Enter')
  await link(page, 'renamed.txt').waitFor()
  const { name } = await createName(client, { label: 'my-site' })
  await opened.open(`/names/${name}`)
  await page.getByRole('main').getByRole('button', { name: 'Publish' }).first().click()
  const dialog = page.getByRole('dialog')
  const row = (text: string) => dialog.locator('label').filter({ hasText: text })
  await row('renamed.txt').waitFor()
  expect(await dialog.getByText(/plain\.txt|letters/).count()).toBe(0)
  await dialog.getByRole('searchbox', { name: 'Find a file' }).fill('renamed')
  await row('closed.txt').waitFor({ state: 'detached' })
  expect(await row('renamed.txt').getByLabel('Encrypted').count()).toBe(0)
  await dialog.getByRole('searchbox', { name: 'Find a file' }).fill('closed')
  await row('closed.txt').getByLabel('Encrypted').waitFor()
  await row('closed.txt').click()
  await dialog.getByText('This file is encrypted: visitors get the encrypted bytes.').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('link', { name: `/ipfs/${cid}` }).waitFor()
  // The same when the file was chosen first, from its menu.
  await opened.open(`/names?publish=${cid}`)
  await dialog.getByText('This file is encrypted: visitors get the encrypted bytes.').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
})

test('a retry publishes to the new name whose publication failed', async () => {
  const opened = await site.newPage()
  const { page } = opened
  opened.expectProblem(/status of 422/)
  await opened.open('/names')
  await opened.signIn()
  const client = await clientOf(opened)
  // If there is a name already, a new one has to be chosen.
  await createName(client, { label: 'first' })
  const { cid } = await uploadText(client, 'twice', { name: 'twice.txt' })
  await opened.open(`/names?publish=${cid}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('A new name').click()
  await dialog.getByLabel('Label').fill('second')
  const code = 'NAME_LIMIT'
  await page.route('**/api/names/*/records', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 422,
          json: { error: { code, message: 'no', hint: 'no', details: {} } },
          headers: { 'x-cairn-code': code },
        })
      : route.continue(),
  )
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Publishing failed').waitFor()
  await page.unroute('**/api/names/*/records')
  await dialog.getByRole('radio', { name: /^second/, checked: true }).waitFor()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('heading', { level: 1, name: 'second' }).waitFor()
  const names = await Array.fromAsync(listNames(client))
  expect(names.map(({ label }) => label).sort()).toEqual(['first', 'second'])
})

test('a name whose key never leaves the browser is created, published by a local record, exported and imported', async () => {
  const opened = await site.newPage()
  const { page } = opened
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.postData() ?? '')
  })
  await opened.open('/names')
  await opened.signIn()
  const client = await clientOf(opened)
  const { cid } = await uploadText(client, 'signed at home', { name: 'home.txt' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create name' }).click()
  await dialog.getByLabel('Label').fill('at home')
  await dialog.getByText('This device').click()
  expect(await opened.checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Create name' }).click()
  await page.getByRole('heading', { level: 1, name: 'at home' }).waitFor()
  const name = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  // Known only here until it is published, and still there after a reload.
  expect(await Array.fromAsync(listNames(client))).toEqual([])
  await page.reload()
  await page.getByRole('heading', { name: 'Never published' }).waitFor()

  await page.getByRole('main').getByRole('button', { name: 'Publish' }).first().click()
  await dialog.getByText('home.txt').click()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Verified in your browser', { exact: true }).waitFor()
  const link = `${site.network.profile.gateway}/ipns/${name}`
  expect(await (await fetch(link)).text()).toBe('signed at home')
  expect(await Array.fromAsync(listNames(client))).toMatchObject([
    { name, label: 'at home', keyHeld: 'owner', value: `/ipfs/${cid}` },
  ])
  await page.getByRole('link', { name: 'All names' }).click()
  await page.getByText('Name key on this device').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])

  await page.getByRole('button', { name: 'Actions for at home' }).click()
  await page.getByRole('menuitem', { name: 'Export name key' }).click()
  await dialog.getByRole('button', { name: 'Show name key' }).click()
  const text = (await dialog.locator('pre').textContent()) ?? ''
  const key = await importNameKey(text)
  expect(key.name).toBe(name)
  // Nothing that was sent contains the key in any form.
  const secrets = [
    await exportNameKey(key, 'libp2p'),
    text.split('\n')[1] ?? '?',
    Buffer.from(key.seed).toString('hex'),
  ]
  for (const body of sent) for (const secret of secrets) expect(body).not.toContain(secret)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Actions for at home' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog.getByText('its name key is removed from this browser permanently').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No names yet').waitFor()

  await page.getByRole('button', { name: 'Create name' }).click()
  await dialog.getByText('This device').click()
  await dialog.getByText('I already have a name key').click()
  await dialog.getByRole('textbox', { name: 'Name key', exact: true }).fill('no key')
  await dialog.getByRole('button', { name: 'Create name' }).click()
  await dialog.getByText('This is not a valid Ed25519 name key.').waitFor()
  await dialog.getByRole('textbox', { name: 'Name key', exact: true }).fill(text)
  await dialog.getByRole('button', { name: 'Create name' }).click()
  await page.waitForURL(new RegExp(`/names/${name}$`))
  await page.getByRole('button', { name: 'Publish' }).first().waitFor()
})

test('changes a label, exports the key, and removes the name', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/names')
  await opened.signIn()
  await page.getByRole('button', { name: 'Create name' }).click()
  await page.getByLabel('Label').fill('old label')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'old label' }).waitFor()
  const name = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.getByRole('link', { name: 'All names' }).click()

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Actions for old label' }).click()
  await page.getByRole('menuitem', { name: 'Change label' }).click()
  await dialog.getByLabel('Label').fill('new label')
  await dialog.getByRole('button', { name: 'Change label' }).click()
  await page.getByRole('link', { name: 'new label' }).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])

  await page.getByRole('button', { name: 'Actions for new label' }).click()
  await page.getByRole('menuitem', { name: 'Export name key' }).click()
  await dialog.getByRole('button', { name: 'Show name key' }).click()
  await dialog.getByText('BEGIN PRIVATE KEY').waitFor()
  const key = await importNameKey((await dialog.locator('pre').textContent()) ?? '')
  expect(key.name).toBe(name)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Actions for new label' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog.getByText('The service destroys the name key').waitFor()
  const removals: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'DELETE') removals.push(request.url())
  })
  // A double click removes it once: a second removal would report that there is no such name.
  await dialog.getByRole('button', { name: 'Remove' }).dblclick()
  await page.getByText('No names yet').waitFor()
  expect(removals).toHaveLength(1)
  expect(problems).toEqual([])
})

test('on a phone in the dark theme, nothing overflows the edge', async () => {
  const opened = await site.newPage({ width: 360, height: 740, theme: 'dark' })
  const { page, problems } = opened
  await opened.open('/names')
  await opened.signIn()
  await page.getByRole('button', { name: 'Create name' }).click()
  await page.getByLabel('Label').fill('a label that is rather long, longer than a phone is wide')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Never published' }).waitFor()
  for (const path of [new URL(page.url()).pathname, '/names']) {
    await opened.open(path)
    await page.getByText('a label that is rather long').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    expect(await opened.checkAccessibility()).toEqual([])
  }
  expect(problems).toEqual([])
})

test('creates a name and changes its label with the keyboard alone, and returns the focus', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/names')
  await opened.signIn()
  await page.getByRole('button', { name: 'Create name' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Label').focus()
  await page.keyboard.type('typed')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor()
  const menu = page.getByRole('button', { name: 'Actions for typed' })
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Change label' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => menu.evaluate((button) => button === button.ownerDocument.activeElement), patience).toBe(true)
  expect(problems).toEqual([])
})

test('the history shows older targets on demand, as far back as the service keeps them', async () => {
  const opened = await site.newPage()
  const { page } = opened
  await opened.open('/names')
  await opened.signIn()
  await page.getByText('No names yet').waitFor()
  const client = await clientOf(opened)
  const { cid } = await uploadText(client, 'one of many', { name: 'many.txt' })
  const { name } = await createName(client, { label: 'often' })
  for (let at = 1; at <= 52; at++) await publishName(client, name, `/ipfs/${cid}/${at}`)
  await opened.open(`/names/${name}`)
  const rows = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await expect.poll(() => rows.count(), patience).toBe(50)
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect.poll(() => rows.count()).toBe(52)
  await rows.last().getByText(/\/1$/).waitFor()
})

test('a long list of names asks for the files of those in sight only', async () => {
  const opened = await site.newPage()
  const { page } = opened
  await opened.open('/names')
  await opened.signIn()
  const client = await clientOf(opened)
  const count = 40
  for (let at = 1; at <= count; at++) {
    const { cid } = await uploadText(client, `content ${at}`, { name: `file ${at}.txt` })
    const { name } = await createName(client, { label: `name ${at}` })
    await publishName(client, name, `/ipfs/${cid}`)
  }
  const asked = new Set<string>()
  page.on('request', (request) => {
    if (request.url().includes('/file_info')) asked.add(request.url())
  })
  await page.reload()
  await page.getByText(`file ${count}.txt`).waitFor()
  await page.getByText(`file ${count - 8}.txt`).waitFor()
  expect(asked.size).toBeLessThan(30)
  await page.getByRole('link', { name: 'name 1', exact: true }).scrollIntoViewIfNeeded()
  await page.getByText('file 1.txt', { exact: true }).waitFor()
})
