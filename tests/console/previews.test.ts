// Previews of files: texts, tables, office files, drawings and recordings. Nothing in them runs or is fetched.
import { listFiles, uploadBytes, uploadEncryptedBytes, uploadFolder, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox, leftRange } from '../firefox.ts'
import { createKeyClient } from '../fixtures.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { makeWave } from './make-wave.ts'
import { nextSaved } from './next-saved.ts'
import { makeDocx, makeEpub, makeLargeXlsx, makeOdp, makeOds, makeOdt, makePptx, makeXlsx } from './office-files.ts'
import { redDot } from './red-dot.ts'
import { createAccountClient } from './wallet-client.ts'

/** Generous, because machines are slow at times: what is awaited appears, or the test is wrong. */
const patient = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

const hostile = '<script>window.wasRun = true</script><h1>Boo</h1>'

test('a public text opens at once for a visitor, and HTML is shown as source and never runs', async () => {
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

test('renders Markdown without its HTML, remote pictures and scripts, tables row by row, and code in colours', async () => {
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
  // Boxes instead of list bullets.
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
  // A long column does not widen the others.
  const { x = 0 } = (await page.getByRole('columnheader', { name: 'note' }).boundingBox()) ?? {}
  expect(x).toBeLessThan(300)
  await open(`/open/${main}`)
  const code = page.getByRole('region', { name: 'main.ts' })
  await code.locator('span', { hasText: /^const$/ }).waitFor()
  await code.getByText("const answer: number = 42 // '<b>'").waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('shows a table of an older program and UTF-16 text, with a note when the characters are a guess', async () => {
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

test('shows text, tables and pictures of office files and books, and runs or fetches nothing of them', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadFolder(
    client,
    [
      { path: 'stones.docx', content: await makeDocx(redDot) },
      { path: 'walks.xlsx', content: await makeXlsx() },
      { path: 'talk.pptx', content: await makePptx() },
      { path: 'hill.epub', content: await makeEpub() },
      { path: 'rules.odt', content: await makeOdt(redDot) },
      { path: 'weights.ods', content: await makeOds() },
      { path: 'walls.odp', content: await makeOdp(redDot) },
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
  for (const left of ['gone', 'from here']) expect(await text.getByText(left).count()).toBe(0)
  await text.getByText('moved here').waitFor()
  expect(await text.getByRole('listitem').allTextContents()).toEqual(['1.first step', '2.second step', '3.third step'])
  await text.getByText('Rest, or call 555-1234.').waitFor()
  expect(await text.getByRole('cell').allTextContents()).toEqual(['granite', '12 kg'])
  await text.getByText('In a box').waitFor()
  expect(await text.getByText('[Image').count()).toBe(0)
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
  expect(await book.getByRole('listitem').allTextContents()).toEqual(['•wind', '3.rain', '4.snow'])
  await expect.poll(() => book.getByText('one two').innerText()).toBe('one\ntwo')
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
  expect(await rules.getByRole('listitem').allTextContents()).toEqual(['1.look', '•left', '2.lift', '3.lay'])
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

test('shows code that would block the page for minutes without colours, and the page stays responsive', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadFolder(
    client,
    [
      // An endless word is searched again from each of its letters.
      { path: 'long.c', content: new Blob(['a'.repeat(256 * 1024)]) },
      { path: 'deep.js', content: new Blob(['`${'.repeat(50_000)]) },
      { path: 'short.c', content: new Blob(['return 1; // all of it']) },
    ],
    { name: 'code' },
  )
  const { page, open } = await site.newPage({ accounts: 0 })
  for (const name of ['long.c', 'deep.js']) {
    await open(`/files/${cid}/${name}`)
    const text = page.getByRole('region', { name })
    await expect.poll(async () => (await text.textContent())?.length).toBeGreaterThan(100_000)
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.getByRole('button', { name: 'Leave full screen' }).waitFor()
  }
  // The next file does not wait for it.
  await page.getByRole('link', { name: 'code' }).first().click()
  await page.getByRole('link', { name: /^short\.c/ }).click()
  await page.locator('span.italic', { hasText: '// all of it' }).waitFor()
})

test('a workbook lists what is omitted: sheets beyond the hundredth, and rows far below the others', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadFolder(client, [{ path: 'large.xlsx', content: await makeLargeXlsx() }], {
    name: 'large',
  })
  const { page, open, checkAccessibility } = await site.newPage({ accounts: 0 })
  await open(`/files/${cid}/large.xlsx`)
  const table = page.getByRole('table', { name: 'Table of large.xlsx' })
  await table.getByRole('cell', { name: 'near' }).waitFor()
  // Not in the next row.
  expect(await table.getByText('far').count()).toBe(0)
  await page.getByText('Only the first 2 rows are shown.').waitFor()
  await page.getByText('Only the first 100 sheets are shown.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.getByText('S100', { exact: true }).click()
  await table.getByRole('cell', { name: 'alike' }).waitFor()
  expect(await page.getByText('S101', { exact: true }).count()).toBe(0)
  expect(await page.getByText(/^Only the first 1 rows/).count()).toBe(0)
})

test('opens an encrypted drawing and an encrypted page for their owner in a worker, and runs nothing', async () => {
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
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(redDot) },
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
  // In its own tab it would still have an opaque origin.
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

test('plays and seeks an encrypted recording of either format by ranges, which no other request receives', async () => {
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
  // Only players get decrypted bytes, and only while the file is open.
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
