// Screenshots of the console for review: every page, wide and narrow, light and dark. By default they go to build/pictures,
// and the few that docs/ shows are replaced. Run by hand:
//   node --conditions=@cairn/source tests/console/take-screenshots.ts [folder]
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  createClient,
  createName,
  publishName,
  shareFile,
  uploadBytes,
  uploadEncryptedText,
  uploadText,
} from '@cairn/sdk'
import { type ConsolePage, openConsole } from './console.ts'
import { drawHills } from './draw-hills.ts'
import { startUpload } from './start-upload.ts'
import { createAccountClient } from './wallet-client.ts'

const root = resolve(import.meta.dirname, '../..')
/** The pictures that pages show. */
const docsPictures = join(root, 'docs/console')
const folder = process.argv[2] ?? join(root, 'build/pictures')
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const
const routes = ['shared', 'names', 'billing', 'proofs', 'api-keys', 'settings', 'status'] as const
/** What loads late, and is the subject of the page. */
const awaited = new Map<string, string | RegExp>([
  ['billing', /^about \$/],
  ['status', 'All systems operational'],
])

await mkdir(folder, { recursive: true })
await using site = await openConsole({ chain: 'local', providers: 1 })
for (const [size, { width, height }] of Object.entries(sizes)) {
  for (const theme of ['light', 'dark'] as const) {
    const opened = await site.newPage({ width, height, theme })
    await takeAll(opened, (name) => join(folder, `${name}-${size}-${theme}.png`))
    await opened.context.close()
    for (const problem of opened.problems) console.error(`${size} ${theme}: ${problem}`)
  }
}
if (process.argv[2] === undefined) {
  for (const name of await readdir(docsPictures)) await copyFile(join(folder, name), join(docsPictures, name))
}

async function takeAll({ page, wallet, open, signIn }: ConsolePage, pathOf: (name: string) => string): Promise<void> {
  const take = async (name: string) => {
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: pathOf(name), animations: 'disabled' })
  }
  await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await take('welcome')
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('dialog').getByRole('button').nth(1).waitFor()
  await take('wallet')
  await page.keyboard.press('Escape')
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await take('files-empty')
  await addSamples(page)
  await page.reload()
  await page.getByRole('link', { name: 'Field notes.md' }).waitFor()
  await take('files')
  await page.getByRole('button', { name: 'Grid' }).click()
  await page.getByRole('gridcell').first().waitFor()
  await take('files-grid')
  await page.getByRole('link', { name: 'Field notes.md' }).click()
  await page.getByRole('dialog').waitFor()
  await take('file')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Upload' }).first().click()
  await page.setInputFiles('input[data-upload=files]', [
    { name: 'ridge.png', mimeType: 'image/png', buffer: drawHills(3) },
    { name: 'route.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from('<gpx/>') },
  ])
  await page.getByRole('textbox', { name: 'Name of route.gpx' }).waitFor()
  await take('upload')
  await startUpload(page, 'public')
  await page.getByRole('region', { name: 'Transfers' }).getByText('Stored', { exact: true }).nth(1).waitFor()
  await take('transfers')
  for (const route of routes) {
    await open(`/${route}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const shown = awaited.get(route)
    if (shown !== undefined) await page.getByText(shown).first().waitFor({ timeout: 60_000 })
    await take(route)
  }
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'The key lies under the third stone.', { name: 'Where it is.txt' })
  await shareFile(client, cid, [`0x${'7a'.repeat(20)}`])
  await open(`/files/${cid}/access`)
  const ask = page.getByRole('main').getByRole('button', { name: 'Show who can open it' })
  const nodes = page.getByRole('heading', { name: 'Key nodes' })
  await ask.or(nodes).first().waitFor()
  if (await ask.isVisible()) await ask.click()
  await nodes.waitFor()
  await page.getByRole('button', { name: 'Coin balance' }).click()
  await page.evaluate('scrollTo(0, 0)')
  await take('access')
  await open(`/open/${cid}`)
  await page.getByText('under the third stone').waitFor()
  await take('open')
  const { name } = await createName(client, { label: 'field-notes' })
  const notes = await uploadText(client, '# Field notes', { name: 'Field notes.md' })
  await publishName(client, name, notes.cid)
  await open(`/names/${name}`)
  await page.getByText('Verified in your browser', { exact: true }).waitFor()
  await take('name')
  await open(`/proofs/${notes.cid}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await take('proof')
}

async function addSamples(page: ConsolePage['page']): Promise<void> {
  const { apiKey }: { apiKey: string } = JSON.parse(await page.evaluate("sessionStorage.getItem('cairn.session')"))
  const client = createClient({ network: site.network.profile, apiKey })
  for (const [name, mimeType] of [
    ['Budget 2026.csv', 'text/csv'],
    ['Interview with the keeper.mp3', 'audio/mpeg'],
    ['Contract, signed by everyone who was there on the day of the second reading.pdf', 'application/pdf'],
    ['Field notes.md', 'text/markdown'],
  ] as const) {
    await uploadText(client, `# ${name}\n\nThe path is marked with stones.\n`, { name, mimeType })
  }
  await uploadBytes(client, drawHills(1), { name: 'Valley at dawn.png', mimeType: 'image/png' })
  await uploadBytes(client, drawHills(2), { name: 'Cairn on the pass.png', mimeType: 'image/png' })
}
