// Content that opens by its CID: folders and their ZIPs, files shared with others, and those that do not open.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareFile, uploadEncryptedFolder, uploadEncryptedText, uploadFolder, uploadText } from '@cairn/sdk'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyClient } from '../fixtures.ts'
import { readStored, saveIntoStorage } from './browser-storage.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { readZip } from './read-zip.ts'
import { redDot } from './red-dot.ts'
import { stopNodes } from './take-nodes-away.ts'
import { createAccountClient } from './wallet-client.ts'

/** Generous, because machines are slow at times: what is awaited appears, or the test is wrong. */
const patient = { timeout: 60_000 }
let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('the gateway serves a picture, and a folder lists names and sizes that open below it', async () => {
  const client = await createKeyClient(site.network)
  const { cid } = await uploadFolder(
    client,
    [
      { path: 'dot.png', content: new Blob([redDot]) },
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

test('an open file, and its decrypted content, stay while the service does not answer', async () => {
  const opened = await site.newPage()
  const { page, wallet, open, signIn, expectProblem } = opened
  expectProblem(/net::ERR_CONNECTION_REFUSED/)
  const isCall = ({ origin, pathname }: URL) =>
    origin === new URL(site.network.profile.api).origin && /^\/(api|healthz)/.test(pathname)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Read on the train', { name: 'letter.txt' })
  await open('/files')
  await signIn()
  for (const path of [`/open/${cid}`, `/files/${cid}`]) {
    await open(path)
    const file = page.getByRole('region', { name: 'letter.txt' })
    await file.getByText('Read on the train').waitFor()
    await file.evaluate((element) => element.setAttribute('data-seen', ''))
    // Later, the page becomes visible again.
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 60_000 }')
    await page.route(isCall, (route) => route.abort('connectionrefused'))
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    const banner = page.getByText('The storage service is not answering. Trying again…')
    await banner.waitFor()
    expect(await page.locator('[data-seen]').textContent()).toBe('Read on the train')
    await page.unroute(isCall)
    await banner.waitFor({ state: 'detached' })
    expect(await page.locator('[data-seen]').textContent()).toBe('Read on the train')
  }
})

test('a ZIP of a public folder omits and lists symbolic links; a failed one is reported in its dialog only', async () => {
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

test('adds the files of a folder to a ZIP from one response, and one by one after a response breaks', async () => {
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

  // The response breaks off in the long file.
  await page.route(/dag-scope=all/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.body()).subarray(0, 1_500_000) })
  })
  for (const name of ['plain', 'sealed']) expect((await saveZip(name)).length, name).toBeGreaterThan(3)
  expect(problems).toEqual([])
})

test('the tabs of a file have their own addresses', async () => {
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
  // A nested folder alone, without the file beside it.
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

test('reports a CID that the service does not know, and leads to the gateway', async () => {
  const { page, problems, open } = await site.newPage({ accounts: 0 })
  const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  await open(`/open/${cid}`)
  await page.getByRole('heading', { name: 'File not found on this service' }).waitFor()
  const elsewhere = page.getByRole('link', { name: 'Open on the gateway' })
  expect(await elsewhere.getAttribute('href')).toBe(`${site.network.profile.gateway}/ipfs/${cid}`)
  expect(problems).toEqual([])
})

test('a visitor without access to a shared link signs in and sees the reason', async () => {
  const owner = await createKeyClient(site.network, generatePrivateKey())
  const { cid } = await uploadEncryptedText(owner, 'For your eyes only', { name: 'secret.txt' })
  const { page, problems, open, checkAccessibility } = await site.newPage()
  await open(`/open/${cid}`)
  // From the link to the response: connect, the wallet, one signature; then it continues automatically.
  await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('heading', { name: 'You don’t have access to this file' }).waitFor()
  await page.getByText('has no conditions. Ask its owner for access. Confirmed by all five key nodes.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(problems).toEqual([])
})

test('a user who declines the signature can continue later; switching the wallet account removes the decrypted content', async () => {
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
