// Private uploads in the console: only their owner, and people with a signed link, see them.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, uploadBytes, uploadFolder, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { drawHills } from './draw-hills.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-private-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

type PrivatePage = ConsolePage & { client: Client; picture: string; text: string; box: string }

/** A page whose account has a private picture, text and folder. */
async function openWithPrivate(): Promise<PrivatePage> {
  const opened = await site.newPage()
  const client = await createAccountClient(site.network, opened.wallet.accounts[0])
  const { cid: picture } = await uploadBytes(client, drawHills(1), { name: 'hills.png', private: true })
  const { cid: text } = await uploadText(client, 'between us', { name: 'letter.txt', private: true })
  const inside = [
    { path: 'sub/inner.txt', content: new Blob(['inner words']) },
    { path: 'map.png', content: new Blob([new Uint8Array(drawHills(2))]) },
  ]
  const { cid: box } = await uploadFolder(client, inside, { name: 'box', private: true })
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByRole('link', { name: 'letter.txt' }).waitFor()
  return { ...opened, client, picture, text, box }
}

const isDrawn = async (page: ConsolePage['page'], name: string) => {
  const image = page.getByRole('img', { name })
  await expect.poll(() => image.evaluate((element) => Reflect.get(element, 'naturalWidth'))).toBeGreaterThan(0)
}

test('the owner reads and saves private pictures, texts and files in a private folder; a visitor gets nothing', async () => {
  const { page, open, picture, text, box } = await openWithPrivate()
  const urls = [picture, text, `${box}/map.png`, `${box}/sub/inner.txt`].map(
    (path) => `${site.network.profile.gateway}/ipfs/${path}`,
  )
  await open(`/files/${picture}`)
  await isDrawn(page, 'hills.png')
  await open(`/files/${text}`)
  await page.getByText('between us').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toBe('between us')
  await open(`/files/${box}`)
  await page.getByRole('link', { name: 'sub Folder' }).click()
  await page.getByRole('link', { name: 'inner.txt' }).click()
  await page.getByText('inner words').waitFor()
  await open(`/files/${box}/map.png`)
  await isDrawn(page, 'map.png')
  for (const url of urls) expect((await fetch(url)).status).toBe(404)

  const visitor = await site.newPage()
  await visitor.open(`/open/${text}`)
  await visitor.page.getByText('File not found on this service').waitFor()
  await visitor.open('/files')
  await visitor.signIn()
  await visitor.open(`/files/${picture}`)
  await visitor.page.getByText('File not found on this service').waitFor()
})
