import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  listFiles,
  shareFile,
  uploadBytes,
  uploadEncryptedBytes,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox, leftRange } from '../firefox.ts'
import { createKeyClient } from '../fixtures.ts'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { nextSaved } from './next-saved.ts'
import { makeDocx, makeEpub, makeOdp, makeOds, makeOdt, makePptx, makeXlsx } from './office-files.ts'
import { readZip } from './read-zip.ts'
import { stopNodes } from './take-nodes-away.ts'
import { createAccountClient } from './wallet-client.ts'

/** Machines are slow at times; what is waited for comes, or the test is wrong. */
const patient = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** A picture of one red dot. */
const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
)
const hostile = '<script>window.wasRun = true</script><h1>Boo</h1>'

test('a public text opens at once for a visitor, and HTML is shown as its source and never runs', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadText(client, hostile, { name: 'page.html' })
  const { page, problems, open, checkAccessibility } = await site.newPage({ accounts: 0 })
  await open(`/open/${cid}`)
  await page.getByRole('region', { name: 'page.html' }).getByText(hostile).waitFor()
  expect(await page.evaluate('window.wasRun')).toBeUndefined()
  expect(await page.getByRole('heading', { name: 'Boo' }).count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('Markdown is rendered without markup, pictures and scripts of its own, a table row by row, code in colours', async () => {
  const client = await createKeyClient(site.network)
  const markdown = [
    '# Trip\n\n### Day one\n\nSome **bold** text, [a site](https://example.com/a?b=1&amp;c=2) and [a trap](javascript:wasRun=1).',
    hostile,
    '![a cat](https://example.com/cat.png) AT&amp;T\n\n- [x] packed\n- [ ] gone\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst a = 1\n```',
  ].join('\n\n')
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i},"value, ${i}"`).join('\n')
  const uploads = await Promise.all([
    uploadText(client, markdown, { name: 'trip.md' }),
    uploadText(client, `number,text\n${rows}\n`, { name: 'data.csv' }),
    uploadText(client, "const answer: number = 42 // '<b>'\n", { name: 'main.ts' }),
    uploadText(client, `stone,kg,note\nGranite,12,${'wide '.repeat(10)}\n`, { name: 'stones.csv' }),
  ])
  const [trip = '', data = '', main = '', stones = ''] = uploads.map(({ cid }) => cid)
  const { page, problems, open, checkAccessibility } = await site.newPage({ accounts: 0 })
  await open(`/open/${trip}`)
  const text = page.getByRole('region', { name: 'trip.md' })
  await text.getByRole('heading', { name: 'Trip', level: 2 }).waitFor()
  await text.getByRole('heading', { name: 'Day one', level: 3 }).waitFor()
  expect(await text.getByRole('link').count()).toBe(1)
  expect(await text.getByRole('link', { name: 'a site' }).getAttribute('href')).toBe('https://example.com/a?b=1&c=2')
  await text.getByText('[Image: a cat] AT&T').waitFor()
  expect(await text.locator('img,script,iframe,style,form').count()).toBe(0)
  expect(await page.evaluate('window.wasRun')).toBeUndefined()
  await text.getByRole('cell', { name: '2' }).waitFor()
  // Boxes in place of the dots of a list.
  const tasks = text.getByRole('listitem').filter({ has: page.getByRole('img', { name: /^(Done|Not done)$/ }) })
  expect(await tasks.allTextContents()).toEqual(['packed', 'gone'])
  expect(await page.evaluate("getComputedStyle(document.querySelector('li:has([role=img])')).listStyleType")).toBe(
    'none',
  )
  await text.locator('pre span', { hasText: /^const$/ }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByText('Source', { exact: true }).click()
  await text.getByText('### Day one').waitFor()
  await open(`/open/${data}`)
  const table = page.getByRole('table', { name: 'Table of data.csv' })
  await table.getByRole('cell', { name: 'value, 0', exact: true }).waitFor()
  expect(await table.getAttribute('aria-rowcount')).toBe('20001')
  expect(await table.getByRole('row').count()).toBeLessThanOrEqual(60)
  await page.getByRole('region', { name: 'data.csv' }).focus()
  await page.keyboard.press('End')
  await table.getByRole('cell', { name: 'value, 19999', exact: true }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.setViewportSize({ width: 360, height: 700 })
  await open(`/open/${stones}`)
  // A long column makes no other one wide.
  const { x = 0 } = (await page.getByRole('columnheader', { name: 'note' }).boundingBox()) ?? {}
  expect(x).toBeLessThan(300)
  await open(`/open/${main}`)
  const code = page.getByRole('region', { name: 'main.ts' })
  await code.locator('span', { hasText: /^const$/ }).waitFor()
  await code.getByText("const answer: number = 42 // '<b>'").waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('a table of an older program and UTF-16 are shown, with a note where the letters are a guess', async () => {
  const client = await createKeyClient(site.network)
  const older = await uploadBytes(client, Buffer.from('Straße;Preis\nKöln;5,00 \x80\n', 'latin1'), { name: 'orte.csv' })
  const wide = await uploadBytes(client, Buffer.from('\uFEFFGrüße 🪨\n', 'utf16le'), { name: 'gruss.txt' })
  const { page, open, checkAccessibility } = await site.newPage({ accounts: 0 })
  await open(`/open/${older.cid}`)
  await page.getByRole('columnheader', { name: 'Straße' }).waitFor()
  await page.getByRole('cell', { name: '5,00 €' }).waitFor()
  await page.getByText('This file is not in Unicode.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await open(`/open/${wide.cid}`)
  await page.getByText('Grüße 🪨').waitFor()
  expect(await page.getByText('This file is not in Unicode.').count()).toBe(0)
})

test('a picture is shown by the gateway, and a folder lists names and sizes that open below it', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadFolder(
    client,
    [
      { path: 'dot.png', content: new Blob([png]) },
      { path: 'notes/read me.txt', content: new Blob(['Notes on stones\n']) },
    ],
    { name: 'things' },
  )
  const { page, problems, open, checkAccessibility } = await site.newPage({ accounts: 0, width: 360, height: 740 })
  await open(`/files/${cid}`)
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('link', { name: /^dot\.png/ }).click()
  const picture = drawer.getByRole('img', { name: 'dot.png' })
  await expect.poll(() => picture.evaluate((element) => Reflect.get(element, 'naturalWidth')), patient).toBe(1)
  expect(await picture.getAttribute('src')).toContain(site.network.profile.gateway)
  await page.goBack()
  await drawer.getByRole('link', { name: /^notes/ }).click()
  await drawer.getByRole('link', { name: /^read me\.txt/ }).click()
  await drawer.getByText('Notes on stones').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/files/${cid}/notes/read%20me.txt`)
  await drawer.getByRole('navigation', { name: 'Folder path' }).getByRole('link', { name: 'notes' }).click()
  await drawer.getByRole('link', { name: /^read me\.txt/ }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('a ZIP of a public folder leaves out symbolic links and names them; one that fails says so in its dialog only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-links-'))
  const { page, wallet, problems, open, signIn, checkAccessibility } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await mkdir(join(folder, 'deep'))
  await writeFile(join(folder, 'deep', 'a.txt'), 'first')
  await writeFile(join(folder, 'z.txt'), 'last')
  await symlink('deep/a.txt', join(folder, 'latest.txt'))
  await symlink('../..', join(folder, 'deep', 'out'))
  await uploadFolder(client, folder, { name: 'linked' })
  await rm(folder, { recursive: true })
  await open('/files')
  await signIn()
  await page.evaluate(saveIntoStorage)
  await page.getByRole('link', { name: 'linked' }).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  const download = page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' })
  await download.click()
  const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
  await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
  await dialog.getByText(/^Saved 2 files/).waitFor()
  await dialog
    .getByText(/^The ZIP does not contain 2 entries, .* not a file: linked\/deep\/out, linked\/latest\.txt\.$/)
    .waitFor()
  expect(await checkAccessibility()).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
  const files = readZip(await readStored(page, 'linked.zip'))
  expect([...files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
    ['linked/deep/a.txt', 'first'],
    ['linked/z.txt', 'last'],
  ])

  await page.route(/\/ipfs\//, (route) => route.fulfill({ status: 404, body: '' }))
  await download.click()
  await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
  await dialog.getByRole('alert').filter({ hasText: 'The ZIP was not saved' }).waitFor()
  expect(
    await page
      .getByRole('region', { name: 'Notifications' })
      .getByText(/not (saved|downloaded)/)
      .count(),
  ).toBe(0)
  expect(problems).toEqual([])
})

test('the files of a folder come into a ZIP in one response, and one by one after a response that breaks', async () => {
  const { page, context, wallet, problems, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const content = new Map(
    ['a/1.bin', 'a/2.bin', 'b/long.bin', 'c/3.bin', 'c/4.bin'].map((path) => [
      path,
      randomBytes(path.includes('long') ? 3_000_000 : 4096),
    ]),
  )
  const files = [...content].map(([path, bytes]) => ({ path, content: new Blob([bytes]) }))
  await uploadFolder(client, files, { name: 'plain' })
  await uploadEncryptedFolder(client, files, { name: 'sealed', asOne: true })
  await open('/files')
  await signIn()
  await page.evaluate(saveIntoStorage)
  const requests: string[] = []
  context.on('request', (request) => void (request.url().includes('format=car') && requests.push(request.url())))
  const saveZip = async (name: string): Promise<string[]> => {
    const choice = page.getByRole('checkbox', { name: `Select ${name}` })
    await choice.check()
    await page.getByRole('region', { name: 'Selected files' }).getByRole('button', { name: 'Download' }).click()
    const dialog = page.getByRole('dialog', { name: /as a ZIP$/ })
    requests.length = 0
    await dialog.getByRole('button', { name: /^Save ZIP/ }).click()
    await dialog.getByText(/^Saved 5 files/).waitFor(patient)
    const taken = [...requests]
    await dialog.getByRole('button', { name: 'Done' }).click()
    await choice.uncheck()
    const saved = readZip(await readStored(page, `${name}.zip`))
    expect([...saved.keys()].sort()).toEqual([...content.keys()].map((path) => `${name}/${path}`))
    for (const [path, bytes] of content) expect(saved.get(`${name}/${path}`)?.equals(bytes), path).toBe(true)
    return taken
  }
  // The folder, whether it is one, and the index of an encrypted one.
  for (const name of ['plain', 'sealed']) expect((await saveZip(name)).length, name).toBeLessThanOrEqual(3)

  // The response ends in the long file.
  await page.route(/dag-scope=all/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.body()).subarray(0, 1_500_000) })
  })
  for (const name of ['plain', 'sealed']) expect((await saveZip(name)).length, name).toBeGreaterThan(3)
  expect(problems).toEqual([])
})

test('office files and books show their text, tables and pictures, and nothing of them runs or is fetched', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadFolder(
    client,
    [
      { path: 'stones.docx', content: await makeDocx(png) },
      { path: 'walks.xlsx', content: await makeXlsx() },
      { path: 'talk.pptx', content: await makePptx() },
      { path: 'hill.epub', content: await makeEpub() },
      { path: 'rules.odt', content: await makeOdt(png) },
      { path: 'weights.ods', content: await makeOds() },
      { path: 'walls.odp', content: await makeOdp(png) },
      { path: 'broken.docx', content: new Blob(['no document']) },
    ],
    { name: 'office' },
  )
  const { page, problems, open, checkAccessibility } = await site.newPage({ accounts: 0 })
  await open(`/files/${cid}`)
  const drawer = page.getByRole('dialog')
  const show = async (name: string) => {
    await drawer.getByRole('link', { name: new RegExp(`^${name}`) }).click()
    return drawer.getByRole('region', { name, exact: true })
  }
  const text = await show('stones.docx')
  await text.getByRole('heading', { name: 'Stones' }).waitFor()
  await text.locator('strong', { hasText: 'heavy' }).waitFor()
  expect(await text.getByRole('link').count()).toBe(1)
  expect(await text.getByRole('link', { name: 'a site' }).getAttribute('href')).toBe('https://example.com/a')
  expect(await text.getByText('gone').count()).toBe(0)
  await text.getByRole('listitem').filter({ hasText: '2.second step' }).waitFor()
  await text.getByRole('cell', { name: 'granite' }).waitFor()
  await text.getByText('[1] Weighed twice.', { exact: true }).waitFor()
  const picture = text.getByRole('img', { name: 'a red dot' })
  await expect.poll(() => picture.evaluate((element) => Reflect.get(element, 'naturalWidth')), patient).toBe(1)
  expect(await checkAccessibility()).toEqual([])

  await page.goBack()
  await show('walks.xlsx')
  const table = drawer.getByRole('table', { name: 'Table of walks.xlsx' })
  for (const value of ['kilometres', '2026-11-26', '12', '25%', '1,234.50 €', '2 1/4'])
    await table.getByRole('cell', { name: value, exact: true }).waitFor()
  await table.getByRole('columnheader', { name: 'C' }).waitFor()
  expect(await table.getAttribute('aria-rowcount')).toBe('5')
  expect(await checkAccessibility()).toEqual([])
  await drawer.getByText('Totals', { exact: true }).click()
  await table.getByRole('cell', { name: 'all of it' }).waitFor()

  await page.goBack()
  const talk = await show('talk.pptx')
  await talk.getByRole('heading', { name: 'Slide 2' }).waitFor()
  expect(await talk.getByRole('heading').allTextContents()).toEqual(['Cairns', 'Slide 2'])
  await talk.getByText('They show the way').waitFor()

  await page.goBack()
  const book = await show('hill.epub')
  await book.getByRole('heading', { name: 'The hill' }).waitFor()
  await book.getByText('It was steep.').waitFor()
  await book.getByText('[Image: a cat]').waitFor()
  expect(await book.getByText('color: red').count()).toBe(0)
  expect(await book.locator('img,script').count()).toBe(0)
  expect(await page.evaluate('window.wasRun')).toBeUndefined()
  expect(await checkAccessibility()).toEqual([])

  await page.goBack()
  const rules = await show('rules.odt')
  await rules.getByRole('heading', { name: 'Cairn rules' }).waitFor()
  expect(await rules.getByRole('heading').allTextContents()).toEqual(['Cairn rules', 'Gravel'])
  await rules.locator('strong', { hasText: 'flat' }).waitFor()
  expect(await rules.getByRole('link').allTextContents()).toEqual(['a place'])
  expect(await rules.getByRole('listitem').allTextContents()).toEqual(['1.look', '•left', '2.lift'])
  expect(await rules.getByRole('cell').allTextContents()).toEqual(['kind', 'basalt'])
  await rules.getByText('[1] Seen twice.', { exact: true }).waitFor()
  const dot = rules.getByRole('img', { name: 'a grey dot' })
  await expect.poll(() => dot.evaluate((element) => Reflect.get(element, 'naturalWidth')), patient).toBe(1)
  await rules.getByText('[Image: a spy]').waitFor()
  for (const text of ['gone', 'a comment']) expect(await rules.getByText(text).count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])

  await page.goBack()
  await show('weights.ods')
  const weights = drawer.getByRole('table', { name: 'Table of weights.ods' })
  await weights.getByRole('cell', { name: '12,5 kg' }).waitFor()
  expect(await weights.getAttribute('aria-rowcount')).toBe('5')
  await weights.getByRole('columnheader', { name: 'D' }).waitFor()
  expect(await weights.getByRole('columnheader').count()).toBe(4)
  expect(await page.evaluate('window.wasRun')).toBeUndefined()

  await page.goBack()
  const walls = await show('walls.odp')
  await walls.getByRole('heading', { name: 'Dry walls' }).waitFor()
  expect(await walls.getByRole('heading').allTextContents()).toEqual(['Dry walls', 'Slide 2'])
  expect(await walls.getByRole('listitem').allTextContents()).toEqual(['•no mortar', '•flat stones'])
  await walls.getByText('In a shape').waitFor()
  expect(await walls.getByRole('cell').allTextContents()).toEqual(['slate'])
  expect(await walls.getByRole('link').allTextContents()).toEqual(['the builders'])
  await walls.getByRole('img', { name: 'a brown dot' }).waitFor()
  expect(await walls.getByText('say this').count()).toBe(0)
  expect(await walls.getByText('[Image').count()).toBe(0)
  expect(await checkAccessibility()).toEqual([])

  await page.goBack()
  await show('broken.docx')
  await drawer.getByText('The browser cannot show this file.').waitFor()
  expect(problems).toEqual([])
})

test('the tabs of a file have addresses of their own', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadText(client, 'A cairn shows the way', { name: 'way.txt' })
  const { page, problems, open, checkAccessibility } = await site.newPage({ accounts: 0, theme: 'dark' })
  await open(`/files/${cid}?tab=details`)
  const drawer = page.getByRole('dialog', { name: 'way.txt' })
  await drawer.getByText('Public: anyone with the CID can read it.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await drawer.getByRole('link', { name: 'Access', exact: true }).click()
  await drawer.getByText('Anyone can read this file').waitFor()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('access')
  await drawer.getByRole('link', { name: 'Proofs', exact: true }).click()
  expect(await drawer.getByRole('link', { name: 'Show proofs' }).getAttribute('href')).toBe(`/proofs/${cid}`)
  await drawer.getByRole('link', { name: 'Names', exact: true }).click()
  expect(await drawer.getByRole('link', { name: 'Choose a name' }).getAttribute('href')).toContain(cid)
  await drawer.getByRole('link', { name: 'Preview', exact: true }).click()
  await drawer.getByText('A cairn shows the way').waitFor()
  expect(problems).toEqual([])
})

test('an encrypted drawing and an encrypted page open for their owner in a worker, and run nothing', async () => {
  const { page, wallet, problems, open, signIn, checkAccessibility } = await site.newPage()
  const [account] = wallet.accounts
  if (account === undefined) throw new Error('no account')
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await page.getByRole('button', { name: 'Upload' }).first().click()
  const sheet = page.getByRole('dialog')
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>window.wasRun = true</script><rect width="8" height="8"/></svg>'
  await sheet
    .locator('input[type=file]')
    .first()
    .setInputFiles([
      { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(drawing) },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(hostile) },
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png) },
    ])
  await sheet.getByText('Encrypted', { exact: true }).click()
  await sheet.getByRole('button', { name: 'Upload' }).click()
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  const client = { ...(await createKeyClient(site.network)), apiKey }
  const uploads = async () =>
    (await Array.fromAsync(listFiles(client))).map(({ fileName, cid }) => [fileName, cid] as const)
  await expect.poll(async () => (await uploads()).length, patient).toBe(3)
  const cids = new Map(await uploads())
  const workers: string[] = []
  page.on('worker', (worker) => workers.push(worker.url()))

  await open(`/files/${cids.get('page.html')}`)
  await page.getByRole('region', { name: 'page.html' }).getByText(hostile).waitFor()
  expect(workers.some((url) => url.includes('cipher'))).toBe(true)
  expect(await checkAccessibility()).toEqual([])

  await open(`/files/${cids.get('drawing.svg')}`)
  const picture = page.getByRole('img', { name: 'drawing.svg' })
  await expect.poll(() => picture.evaluate((element) => Reflect.get(element, 'naturalWidth')), patient).toBe(8)
  // In a tab of its own it would still have an opaque origin.
  expect(await picture.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/)

  await open(`/files/${cids.get('dot.png')}`)
  const dot = page.getByRole('img', { name: 'dot.png' })
  await expect.poll(() => dot.evaluate((element) => Reflect.get(element, 'naturalWidth')), patient).toBe(1)
  expect(await dot.getAttribute('src')).toMatch(/^blob:/)
  const saved = nextSaved(page)
  await page.getByRole('button', { name: 'Save decrypted file' }).click()
  expect((await saved).name).toBe('dot.png')
  expect(await page.evaluate('window.wasRun')).toBeUndefined()
  expect(problems).toEqual([])
})

test('the recipient of a shared folder saves all of it as one ZIP', async () => {
  const { page, wallet, open, signIn, checkAccessibility } = await site.newPage()
  const owner = await createKeyClient(site.network)
  const film = randomBytes(300_000)
  const [folder] = await uploadEncryptedFolder(
    owner,
    [
      { path: 'plan.txt', content: new Blob(['Up the hill']) },
      { path: 'day one/film.bin', content: new Blob([film]) },
    ],
    { name: 'trip', asOne: true },
  )
  await shareFile(owner, folder?.cid ?? '', [wallet.accounts[0]?.address ?? ''])
  await page.addInitScript(saveIntoStorage)
  await open(`/open/${folder?.cid}`)
  await signIn()
  await page.getByRole('link', { name: /^day one/ }).waitFor(patient)
  expect(await checkAccessibility()).toEqual([])
  await page.getByRole('button', { name: 'Download 2 files as a ZIP' }).click()
  const dialog = page.getByRole('dialog', { name: 'Download 2 files as a ZIP' })
  await dialog.getByRole('button', { name: 'Save ZIP, about 293 KiB' }).click()
  await dialog.getByText(/^Saved 2 files, 293/).waitFor(patient)
  expect(await checkAccessibility()).toEqual([])
  const files = readZip(await readStored(page, 'trip.zip'))
  expect([...files.keys()].sort()).toEqual(['trip/day one/film.bin', 'trip/plan.txt'])
  expect(files.get('trip/plan.txt')?.toString()).toBe('Up the hill')
  expect(files.get('trip/day one/film.bin')?.equals(film)).toBe(true)
  // A folder in it, alone: without the file beside it.
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: /^day one/ }).click()
  await page.getByRole('link', { name: /^film\.bin/ }).waitFor(patient)
  await page.getByRole('button', { name: 'Download 1 file as a ZIP' }).click()
  const part = page.getByRole('dialog', { name: 'Download 1 file as a ZIP' })
  await part.getByRole('button', { name: 'Save ZIP, about 293 KiB' }).click()
  await part.getByText(/^Saved 1 file, 293/).waitFor(patient)
  expect(await checkAccessibility()).toEqual([])
  const below = readZip(await readStored(page, 'day one.zip'))
  expect([...below.keys()]).toEqual(['day one/film.bin'])
  expect(below.get('day one/film.bin')?.equals(film)).toBe(true)
})

/** Silence in the format WAV: players seek in it by bytes. */
function makeWave(seconds: number): Uint8Array {
  const header = Buffer.alloc(44)
  const sampleRate = 48_000
  const dataBytes = seconds * sampleRate * 4
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + dataBytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 4, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(dataBytes, 40)
  return Buffer.concat([header, Buffer.alloc(dataBytes)])
}

test('an encrypted recording of either format plays and seeks by ranges, which no other request receives', async () => {
  const { page, context, wallet, open, signIn, checkAccessibility, expectProblem } = await site.newPage()
  if (isFirefox) expectProblem(leftRange)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const wave = makeWave(300)
  const [first] = [
    await uploadEncryptedBytes(client, wave, { name: 'long.wav' }),
    await uploadEncryptedBytes(client, wave.subarray(0, 12_000_000), { name: 'short.wav', format: 'v2' }),
  ]
  let requestedBytes = 0
  context.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    const [from, to] = (searchParams.get('entity-bytes') ?? '').split(':').map(Number)
    if (pathname.endsWith(first.cid) && from !== undefined && to !== undefined) requestedBytes += to - from + 1
  })
  await open('/files')
  await signIn()
  await open(`/files/${first.cid}`)
  const player = page.locator('audio')
  const state = (name: string) => player.evaluate((element, property) => Reflect.get(element, property), name)
  await expect.poll(() => state('duration'), patient).toBe(300)
  const url = String(await state('src'))
  expect(url).toContain(`${site.network.profile.api}/decrypted/`)
  await player.evaluate((element) => Reflect.set(element, 'currentTime', 270))
  await expect
    .poll(async () => [await state('seeking'), Number(await state('readyState')) >= 2], patient)
    .toEqual([false, true])
  expect(await state('currentTime')).toBe(270)
  expect(requestedBytes).toBeGreaterThan(0)
  expect(requestedBytes).toBeLessThan(wave.length / 2)
  expect(await checkAccessibility()).toEqual([])
  // Only players get what is decrypted, and only while the file is open.
  expect(await page.evaluate(`fetch(${JSON.stringify(url)}).then(({ status }) => status)`)).toBe(404)
  const saved = nextSaved(page)
  await page.evaluate('delete window.showSaveFilePicker')
  await page.getByRole('button', { name: 'Save decrypted file' }).click()
  expect((await saved).bytes.equals(wave)).toBe(true)

  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect
    .poll(() => page.evaluate("navigator.serviceWorker.getRegistration('/').then((one) => one === undefined)"))
    .toBe(true)
  await page.getByRole('link', { name: 'short.wav' }).click()
  await expect.poll(() => state('duration'), patient).toBeGreaterThan(60)
  expect(String(await state('src'))).toContain('/decrypted/')
})

test('reports a CID that the service does not know', async () => {
  const { page, problems, open } = await site.newPage({ accounts: 0 })
  await open('/open/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
  await page.getByRole('heading', { name: 'File not found on this service' }).waitFor()
  expect(problems).toEqual([])
})

test('a visitor without access to a shared link signs in and sees the reason', async () => {
  const owner = await createKeyClient(site.network, generatePrivateKey())
  const { cid } = await uploadEncryptedText(owner, 'For your eyes only', { name: 'secret.txt' })
  const { page, problems, open, checkAccessibility } = await site.newPage()
  await open(`/open/${cid}`)
  // From the link to the answer: connect, the wallet, one signature; then it goes on by itself.
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('heading', { name: 'You don’t have access to this file' }).waitFor()
  await page.getByText('has no conditions. Ask its owner for access. Confirmed by all five key nodes.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('who declines the signature can go on later; another account in the wallet takes what was decrypted off the page', async () => {
  const opened = await site.newPage({ accounts: 2 })
  const { page, wallet, open } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const restoreNodes = await stopNodes(opened, site.network, 1, 2, 3)
  const { cid } = await uploadEncryptedText(client, 'Only for the first account', { name: 'mine.txt' })
  await open(`/open/${cid}`)
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  const signature = page.getByRole('dialog', { name: 'One more signature' })
  await signature.waitFor()
  await restoreNodes()
  wallet.rejectNext('personal_sign')
  await signature.getByRole('button', { name: 'Sign' }).click()
  await signature.getByRole('alert').waitFor()
  await signature.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Decrypt and show' }).click()
  await signature.getByRole('button', { name: 'Sign' }).click()
  await page.getByText('Only for the first account').waitFor()
  await wallet.choose(1)
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await page.getByText('Only for the first account').count()).toBe(0)
})
