// The budgets of the console: initial bytes, bytes of each page, rows in the page, and contacted hosts.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRows } from './add-rows.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { measureShift } from './layout-shift.ts'

const initialScriptKb = 170
const initialStyleKb = 12
const lazyChunkKb = 45
const requestsBeforePaint = 9
/** Chunks that a single user action loads, not a page. */
const onDemand = /^(?:verify|sign-with-key|sign-client|pdf\.worker|PdfView)/

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = site.network.storage.context.config.consoleFolder ?? ''
})
afterAll(() => site?.[Symbol.asyncDispose]())

async function gzippedKb(path: string): Promise<number> {
  return gzipSync(await readFile(join(folder, path)), { level: 9 }).length / 1000
}

async function initialFiles(kind: 'js' | 'css'): Promise<string[]> {
  const page = await readFile(join(folder, 'index.html'), 'utf8')
  return [...page.matchAll(new RegExp(`/(assets/[^"]+\\.${kind})"`, 'g'))].map((match) => match[1] ?? '')
}

test(`every visitor loads at most ${initialScriptKb} kB of script and ${initialStyleKb} kB of style`, async () => {
  const sum = async (kind: 'js' | 'css') => {
    const sizes = await Promise.all((await initialFiles(kind)).map(gzippedKb))
    return sizes.reduce((all, size) => all + size, 0)
  }
  expect(await sum('js')).toBeGreaterThan(50)
  expect(await sum('js')).toBeLessThanOrEqual(initialScriptKb)
  expect(await sum('css')).toBeLessThanOrEqual(initialStyleKb)
})

test(`a visitor sees the first page after at most ${requestsBeforePaint} requests`, async () => {
  const { page, open } = await site.newPage({ accounts: 0 })
  await open('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const before: string[] = await page.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint')
      if (paint === undefined) return
      const requests = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < paint.startTime)
      resolve([location.href, ...requests.map(({ name }) => name)])
    }).observe({ type: 'paint', buffered: true }))`,
  )
  expect(before.length).toBeGreaterThan(1)
  expect(before.length, before.join(', ')).toBeLessThanOrEqual(requestsBeforePaint)
})

test(`no lazy chunk is larger than ${lazyChunkKb} kB`, async () => {
  const initial = new Set(await initialFiles('js'))
  const large: string[] = []
  for (const name of await readdir(join(folder, 'assets'))) {
    if (!name.endsWith('.js') || initial.has(`assets/${name}`) || onDemand.test(name)) continue
    const size = await gzippedKb(`assets/${name}`)
    if (size > lazyChunkKb) large.push(`${name}: ${size.toFixed(1)} kB`)
  }
  expect(large).toEqual([])
})

test('a list of ten thousand files keeps at most sixty rows in the page, and does not shift while it loads', async () => {
  const { page, wallet, problems, open, signIn } = await site.newPage()
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  await addRows(site.network, wallet.accounts[0]?.address.toLowerCase() ?? '', 10_000)
  await page.reload()
  await page.getByText('10,000 items').waitFor()
  const rows = () => page.locator('[role=row]').count()
  expect(await rows()).toBeLessThanOrEqual(60)
  await page.mouse.move(700, 500)
  for (let i = 0; i < 30; i++) await page.mouse.wheel(0, 2_000)
  await expect
    .poll(() => page.locator('[role=row]').last().getAttribute('aria-rowindex').then(Number))
    .toBeGreaterThan(300)
  expect(await rows()).toBeLessThanOrEqual(60)
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('10001')
  expect(await measureShift(page)).toBeLessThanOrEqual(0.02)
  expect(problems).toEqual([])
})
