import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from '@cairn/sdk'
import type { Page } from 'playwright'
import { type Console, openConsole } from '../tests/console/console.ts'
import { createAccountClient } from '../tests/console/wallet-client.ts'
import { makeFile } from './material.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row, speedRow } from './report.ts'
import { longestTask, tracePage } from './trace-page.ts'

/** A larger file would measure the disk of the machine. */
const maxFileBytes = 600 * 2 ** 20
const longMs = 15 * 60_000

/** Time that browser functions need for the same bytes in one call: encryption, and hashing. */
async function wholeMessageMs(page: Page, bytes: number): Promise<number> {
  const took = await page.evaluate(`(async () => {
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt'])
    const bytes = new Uint8Array(64 * 2 ** 20)
    const started = performance.now()
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, bytes)
    await crypto.subtle.digest('SHA-256', bytes)
    return performance.now() - started
  })()`)
  return (Number(took) * bytes) / (64 * 2 ** 20)
}

type Peak = { renderer: number; stop(): void }

/** Peak memory of our renderer, in bytes: page and worker are one process. */
function watchMemory(): Peak {
  const peak = { renderer: 0, stop: () => clearInterval(timer) }
  const timer = setInterval(() => {
    for (const pid of renderers()) peak.renderer = Math.max(peak.renderer, residentBytes(pid))
  }, 100)
  return peak
}

function renderers(): string[] {
  const parents = new Map<string, string>()
  for (const pid of readdirSync('/proc')) if (/^\d+$/.test(pid)) parents.set(pid, parentOf(pid))
  const isOurs = (pid: string): boolean => {
    const parent = parents.get(pid)
    return parent === String(process.pid) || (parent !== undefined && parent !== '0' && isOurs(parent))
  }
  return [...parents.keys()].filter((pid) => isOurs(pid) && read(pid, 'cmdline').includes('--type=renderer'))
}

const parentOf = (pid: string) => /^PPid:\s*(\d+)/m.exec(read(pid, 'status'))?.[1] ?? '0'
const residentBytes = (pid: string) => Number(/^VmRSS:\s*(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024

/** Reads a file of a process in /proc; empty if the process has exited. */
function read(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It exited between the listing and this read.
    return ''
  }
}

type Figures = {
  encryptMs: number
  wholeMs: number
  encryptTaskMs: number
  openMs: number
  openTaskMs: number
  peakBytes: number
}

/** Uploads a file encrypted, opens it, and monitors the page meanwhile. */
async function measure(site: Console, format: 'v1' | 'v2', path: string, bytes: number): Promise<Figures> {
  const { page, browser, context, wallet, open, signIn } = await site.newPage()
  page.setDefaultTimeout(longMs)
  const memory = watchMemory()
  const measureLongestTask = async (work: () => Promise<void>) => longestTask(await tracePage(browser, page, work))
  try {
    await open('/settings')
    await page.getByText(format === 'v1' ? 'Compatible' : 'Seekable', { exact: true }).click()
    await open('/files')
    await signIn()
    const client = await createAccountClient(site.network, wallet.accounts[0])
    const wholeMs = await wholeMessageMs(page, bytes)
    await page.getByRole('button', { name: 'Upload' }).first().click()
    const sheet = page.getByRole('dialog', { name: 'Upload' })
    await sheet.locator('input[data-upload=files]').setInputFiles(path)
    await sheet.getByText('Encrypted', { exact: true }).click()
    const encrypting = page.getByRole('region', { name: 'Transfers' }).getByText(/Encrypting in this browser/)
    let encryptMs = 0
    const encryptTaskMs = await measureLongestTask(async () => {
      await sheet.getByRole('button', { name: 'Upload' }).click()
      await encrypting.waitFor()
      const started = performance.now()
      await encrypting.waitFor({ state: 'detached' })
      encryptMs = performance.now() - started
    })
    while ((await Array.fromAsync(listFiles(client))).length === 0) await page.waitForTimeout(500)

    let openMs = 0
    const openTaskMs = await measureLongestTask(async () => {
      await page.getByRole('row').getByRole('link', { name: /film/ }).click()
      const started = performance.now()
      const anyway = page.getByRole('button', { name: 'Decrypt and show' })
      const save = page.getByRole('button', { name: 'Save decrypted file' })
      await anyway.or(save).waitFor()
      if (await anyway.isVisible()) await anyway.click()
      await save.waitFor()
      openMs = performance.now() - started
    })
    return { encryptMs, wholeMs, encryptTaskMs, openMs, openTaskMs, peakBytes: memory.renderer }
  } finally {
    memory.stop()
    await context.close()
  }
}

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  const bytes = Math.min(largeBytes, maxFileBytes)
  const mib = bytes / 2 ** 20
  const path = join(scratch, 'film.bin')
  makeFile(path, bytes)
  await using site = await openConsole({ environment: { CAIRN_FREE_BYTES: String(64 * 2 ** 30) } })
  const size = `${formatNumber(mib)} MiB`
  const rows: Row[] = []
  for (const format of ['v1', 'v2'] as const) {
    const all: Figures[] = []
    for (let i = 0; i < runs; i++) all.push(await measure(site, format, path, bytes))
    const of = (key: keyof Figures) => median(all.map((one) => one[key]))
    const own = (what: string, ours: string): Row => ({
      what: `${what}, format ${format}`,
      ours,
      against: '–',
      ratio: undefined,
      goal: '–',
      reached: undefined,
    })
    const task = (what: string, ms: number): Row => ({
      ...own(`${what} ${size}: longest task of the page`, `${formatNumber(ms)} ms`),
      goal: '≤ 100 ms',
      reached: ms <= 100,
    })
    rows.push(
      speedRow({
        what: `encrypting and hashing ${size} in the worker, format ${format}`,
        oursMs: all.map(({ encryptMs }) => encryptMs),
        against: 'the browser’s own functions, whole message in memory',
        theirsMs: all.map(({ wholeMs }) => wholeMs),
        minRatio: 0.3,
        amount: mib,
        unit: 'MiB',
      }),
      task('encrypting', of('encryptTaskMs')),
      own(`fetching, verifying and decrypting ${size}`, `${formatNumber((mib / of('openMs')) * 1000)} MiB/s`),
      task('opening', of('openTaskMs')),
      own('highest memory of page and worker, both ways', `${formatNumber(of('peakBytes') / 2 ** 20)} MiB`),
    )
  }
  return rows
}

export const consoleEncryptionBench: Bench = {
  name: 'console-encryption',
  about:
    'Encrypted files in the web console in Chromium: speed, memory, and the longest time that the page is blocked.',
  run,
}
