// The waiting times of console users in Chromium. Figures of this machine; the gates are in tests/console.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright'
import { addRows } from '../tests/console/add-rows.ts'
import { type Console, type ConsolePage, openConsole } from '../tests/console/console.ts'
import { startButton } from '../tests/console/start-upload.ts'
import { createTestKey } from '../tests/fixtures.ts'
import { type Bench, formatNumber, median, pairedRatio, type Row } from './report.ts'
import { slowestInput, tracePage } from './trace-page.ts'

const run = promisify(execFile)
const manyRows = 10_000
const maxUploadBytes = 256 * 1024 * 1024
const smallFiles = 100
const smallBytes = 10 * 1024
/** Time limit in ms for uploads and their pages. */
const patience = { timeout: 300_000 }

export const consoleBench: Bench = {
  name: 'console',
  about:
    'The web console in Chromium on the same machine: time to the main content, slowest response to an input, lists, and uploads.',
  async run({ scratch, runs, largeBytes }) {
    await using site = await openConsole()
    const rows: Row[] = []
    for (const slower of [1, 4]) {
      const paints: number[] = []
      const inputs: SlowestInput[] = []
      for (let i = 0; i < runs; i++) {
        const opened = await openThrottled(site, slower)
        await opened.open('/')
        paints.push(await largestPaint(opened.page))
        inputs.push(await measureInputs(opened))
        await opened.context.close()
      }
      const machine = slower === 1 ? '' : `, CPU ${slower}× slower`
      rows.push(msRow(`largest contentful paint${machine}`, paints, slower === 1 ? 600 : 1_500))
      const goalMs = slower === 1 ? 100 : 200
      const waits = inputs.map(({ waitMs }) => waitMs)
      rows.push(msRow(`slowest input event${machine}`, waits, goalMs))
      const slowest = inputs.toSorted((a, b) => a.processorMs - b.processorMs)
      const step = slowest[Math.floor(slowest.length / 2)]?.step ?? ''
      const work = slowest.map(({ processorMs }) => processorMs)
      rows.push(msRow(`processor time of the page in it, highest for “${step}”${machine}`, work, goalMs))
    }
    const [first, filter] = await listTimes(site, runs)
    rows.push(msRow('first row after sign-in', first, 300))
    const searched = `search among ${formatNumber(manyRows)} files, from the last letter to its rows, with the pause of 80 ms`
    rows.push(msRow(searched, filter, 130))
    const path = join(scratch, 'large.bin')
    const sizeBytes = Math.min(largeBytes, maxUploadBytes)
    // Random: equal blocks are stored once, which would make their sender look fast.
    await writeFile(path, randomBytes(sizeBytes))
    rows.push(await uploadRow(site, path, sizeBytes, runs))
    rows.push(await smallFilesRow(site, scratch, runs))
    return rows
  },
}

/** Opens a page with a CPU slowed down by a factor. */
export async function openThrottled(site: Console, slower: number): Promise<ConsolePage> {
  const opened = await site.newPage()
  const session = await opened.context.newCDPSession(opened.page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  return opened
}

function msRow(what: string, values: number[], goalMs: number): Row {
  const ms = median(values)
  return {
    what,
    ours: `${formatNumber(ms)} ms`,
    against: '–',
    ratio: undefined,
    goal: `≤ ${goalMs} ms`,
    reached: ms <= goalMs,
  }
}

async function largestPaint(page: Page): Promise<number> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  return page.evaluate(
    "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))",
  )
}

/** The slowest interaction of a tour, until the next frame: the wait of the user, and the page's own processor time. */
type SlowestInput = { waitMs: number; processorMs: number; step: string }

/** Time in ms from a step to its frame. */
const settleMs = 500

async function measureInputs({ page, browser, open, signIn }: ConsolePage): Promise<SlowestInput> {
  await open('/files')
  const all: SlowestInput[] = []
  const step = async (name: string, work: () => Promise<unknown>) => {
    const traced = async () => {
      await work()
      await page.waitForTimeout(settleMs)
    }
    const trace = await tracePage(browser, page, traced, ['devtools.timeline'])
    const waitMs = Math.max(0, ...trace.inputs.map(({ fromMs, toMs }) => toMs - fromMs))
    all.push({ waitMs, processorMs: slowestInput(trace), step: name })
  }
  await step('sign in', async () => {
    await signIn()
    await page.getByText('Nothing here yet').waitFor()
  })
  const sheet = page.getByRole('dialog', { name: 'Upload' })
  await step('open the upload sheet', async () => {
    await page.keyboard.press('u')
    await sheet.waitFor()
  })
  await step('Encrypted', () => sheet.getByText('Encrypted', { exact: true }).click())
  await step('close the upload sheet', () => page.keyboard.press('Escape'))
  for (const name of ['Shared', 'Names', 'Billing', 'Proofs', 'API keys', 'Settings']) {
    await step(name, async () => {
      await page.getByRole('link', { name, exact: true }).first().click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    })
  }
  await step('Dark', () => page.getByText('Dark', { exact: true }).click())
  await step('type a search', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('stones')
    await page.waitForURL(/q=stones/)
  })
  const [slowest] = all.toSorted((a, b) => b.processorMs - a.processorMs)
  return {
    waitMs: Math.max(...all.map(({ waitMs }) => waitMs)),
    processorMs: slowest?.processorMs ?? 0,
    step: slowest?.step ?? '',
  }
}

/** Times in ms with many files: from sign-in to the first row, and from a search letter to its results. */
async function listTimes(site: Console, runs: number): Promise<[first: number[], filter: number[]]> {
  const first: number[] = []
  const filter: number[] = []
  // The account is created by its first sign-in.
  const opened = await openFiles(site)
  const { page, wallet } = opened
  await signOut(page)
  await addRows(site.network, wallet.accounts[0]?.address.toLowerCase() ?? '', manyRows)
  for (let i = 0; i < runs; i++) {
    await opened.open('/files')
    await page.evaluate(`
      window.at = {}
      new MutationObserver(() => {
        if (!/Connect wallet|Sign in/.test(document.querySelector('header').textContent)) window.at.signedIn ??= performance.now()
        if (document.querySelector('[role=row] a') !== null) window.at.row ??= performance.now()
      }).observe(document.body, { subtree: true, childList: true, attributes: true })`)
    // The wallet stays connected: only a signature is missing.
    await page
      .getByRole('button', { name: /^(Connect wallet|Sign in)$/ })
      .first()
      .click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Test Wallet|^Sign in$/ })
      .first()
      .click()
    await page.getByRole('row').nth(1).waitFor()
    const { signedIn, row }: { signedIn: number; row: number } = await page.evaluate('window.at')
    first.push(Math.max(0, row - signedIn))
    await page.keyboard.press('/')
    await page.keyboard.type('file-0421')
    await page.getByText('10 items').waitFor()
    await page.evaluate(`
      document.getElementById('search').addEventListener('input', () => { window.at.letter = performance.now() })
      new MutationObserver(() => {
        if (document.querySelectorAll('[role=rowgroup] [role=row] a').length === 1) window.at.found ??= performance.now()
      }).observe(document.body, { subtree: true, childList: true })`)
    await page.keyboard.type('7')
    await page.getByText('1 item', { exact: true }).waitFor()
    const { letter, found }: { letter: number; found: number } = await page.evaluate('window.at')
    filter.push(found - letter)
    await signOut(page)
  }
  await opened.context.close()
  return [first, filter]
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
}

/** Sends the same file by the page and by curl, alternating. */
async function uploadRow(site: Console, path: string, sizeBytes: number, runs: number): Promise<Row> {
  const ours: number[] = []
  const theirs: number[] = []
  const { apiKey } = await createTestKey(site.network)
  for (let i = 0; i < runs; i++) {
    const opened = await openFiles(site)
    ours.push(await uploadInPage(opened, path, 'Stored'))
    await opened.context.close()
    const start = performance.now()
    await sendByCurl(site, apiKey, path)
    theirs.push(performance.now() - start)
  }
  const ratio = pairedRatio(ours, theirs)
  const rate = (ms: number[]) => `${formatNumber(sizeBytes / 1024 ** 2 / (median(ms) / 1000))} MiB/s`
  return {
    what: `upload of ${formatNumber(sizeBytes / 1024 ** 2)} MiB, time against curl`,
    ours: rate(ours),
    against: `curl: ${rate(theirs)}`,
    ratio,
    goal: '≤ 1.3',
    reached: ratio <= 1.3,
  }
}

/** Sends the same small files by the page and by curl, one request per file, in sequence, alternating. */
async function smallFilesRow(site: Console, scratch: string, runs: number): Promise<Row> {
  const ours: number[] = []
  const theirs: number[] = []
  const { apiKey } = await createTestKey(site.network)
  const paths = Array.from({ length: smallFiles }, (_path, i) => join(scratch, `small-${i}.bin`))
  for (let i = 0; i < runs; i++) {
    for (const path of paths) await writeFile(path, randomBytes(smallBytes))
    const opened = await openFiles(site)
    ours.push(await uploadInPage(opened, paths, `${smallFiles} done`))
    await opened.context.close()
    const start = performance.now()
    for (const path of paths) await sendByCurl(site, apiKey, path)
    theirs.push(performance.now() - start)
  }
  const ratio = pairedRatio(ours, theirs)
  return {
    what: `${smallFiles} files of ${smallBytes / 1024} KiB, time against curl, one request each`,
    ours: `${formatNumber(median(ours))} ms`,
    against: `curl: ${formatNumber(median(theirs))} ms`,
    ratio,
    goal: '≤ 1.3',
    reached: ratio <= 1.3,
  }
}

async function sendByCurl(site: Console, apiKey: string, path: string): Promise<void> {
  await run('curl', [
    '--fail',
    '--silent',
    '--header',
    `authorization: Bearer ${apiKey}`,
    '--form',
    `file=@${path}`,
    `${site.network.profile.upload}/api/v0/add`,
  ])
}

async function openFiles(site: Console): Promise<ConsolePage> {
  const opened = await site.newPage()
  await opened.open('/files')
  await opened.signIn()
  await opened.page.getByText('Nothing here yet').waitFor()
  return opened
}

/**
 * Time in ms from the click on the button to the words in the list of transfers. Measured in the page, because Playwright
 * polls only every 500 ms.
 */
async function uploadInPage({ page }: ConsolePage, path: string | string[], words: string): Promise<number> {
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', path)
  await page.getByRole('dialog', { name: 'Upload' }).getByText('Public', { exact: true }).click()
  await page.evaluate(`
    addEventListener('click', () => { window.uploadFrom ??= performance.now() }, { capture: true })
    new MutationObserver(() => {
      if (document.querySelector('[data-transfers]')?.textContent.includes('${words}')) window.uploadTo ??= performance.now()
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
  await page.getByRole('button', { name: startButton.public }).click()
  await page.getByRole('region', { name: 'Transfers' }).getByText(words).waitFor(patience)
  return page.evaluate('window.uploadTo - window.uploadFrom')
}
