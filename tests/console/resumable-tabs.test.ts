// Unfinished uploads and several tabs: one sends them, and another continues if that one closes.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { openUploadPage, panelOf, rowOf, start } from './upload-line.ts'

const MiB = 1024 * 1024
const isAdd = (url: URL) => url.pathname === '/api/v0/add'
let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local' })
  folder = await mkdtemp(join(tmpdir(), 'cairn-unfinished-'))
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('queued small files continue after a reload, and two tabs do not send one twice', {
  timeout: 240_000,
}, async () => {
  const { page, context, line, problems, expectProblem } = await openUploadPage(site)
  const names = Array.from({ length: 6 }, (_, at) => `small-${at}.bin`)
  await Promise.all(names.map((name) => writeFile(join(folder, name), randomBytes(2 * MiB))))
  await line.slow(MiB)
  await start(
    page,
    names.map((name) => join(folder, name)),
  )
  await panelOf(page).getByText('Queued', { exact: true }).first().waitFor()
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const second = await context.newPage()
  await second.goto('/files')
  await second.getByRole('button', { name: /^Account 0x/ }).waitFor()
  await second.getByRole('button', { name: 'Upload' }).first().waitFor()
  expect(await panelOf(second).count()).toBe(0)
  await second.close()
  await page.reload()
  await line.slow(-1)
  for (const name of names) await page.getByRole('link', { name }).waitFor({ timeout: 60_000 })
  expect(problems).toEqual([])
})

test('another open tab continues what a closed tab left unfinished', {
  timeout: 240_000,
}, async () => {
  const { page, context, line, problems, expectProblem } = await openUploadPage(site)
  const names = Array.from({ length: 4 }, (_, at) => `left-${at}.bin`)
  await Promise.all(names.map((name) => writeFile(join(folder, name), randomBytes(2 * MiB))))
  await page.route(isAdd, () => undefined)
  await start(
    page,
    names.map((name) => join(folder, name)),
  )
  await rowOf(page, 'left-3.bin').getByText('Queued', { exact: true }).waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(names.length)
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const second = await context.newPage()
  await second.goto('/files')
  await second.getByRole('button', { name: /^Account 0x/ }).waitFor()
  await second.getByText('Nothing here yet').waitFor()
  // The second tab has requested them, and waits.
  await expect.poll(() => second.evaluate(countWaiting)).toBe(names.length)
  expect(await panelOf(second).count()).toBe(0)
  await page.close()
  for (const name of names) await rowOf(second, name).getByText('Stored', { exact: true }).waitFor()
  for (const name of names) await second.getByRole('link', { name }).waitFor()
  await expect.poll(() => second.evaluate(countKept)).toBe(0)
  expect(line.offsets).toEqual([])
  expect(problems).toEqual([])
})

/** Runs in a page: its requests for the lock of a free upload wait for `go()`. */
const holdLocks = `{
  const request = navigator.locks.request.bind(navigator.locks)
  const opened = new Promise((resolve) => { globalThis.go = resolve })
  globalThis.locks = { requested: 0, released: 0 }
  navigator.locks.request = async (name, options, work) => {
    if (!name.startsWith('cairn-upload-') || work === undefined) return request(name, options, work)
    locks.requested++
    await opened
    await request(name, options, work)
    locks.released++
  }
}`

test('an upload that completes while another tab opens is not offered there again', { timeout: 240_000 }, async () => {
  const { page, context, problems, expectProblem } = await openUploadPage(site)
  await writeFile(join(folder, 'ends.bin'), randomBytes(1024))
  const held = Promise.withResolvers<void>()
  await page.route(isAdd, async (route) => {
    await held.promise
    await route.continue()
  })
  await start(page, join(folder, 'ends.bin'))
  await expect.poll(() => page.evaluate(countKept)).toBe(1)
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const second = await context.newPage()
  await second.addInitScript(`if (isSecureContext) ${holdLocks}`)
  await second.goto('/files')
  // The second tab has listed it, and requests it.
  await expect.poll(() => second.evaluate('locks.requested')).toBe(1)
  held.resolve()
  await rowOf(page, 'ends.bin').getByText('Stored', { exact: true }).waitFor()
  await expect.poll(() => page.evaluate(countKept)).toBe(0)
  await second.evaluate('go()')
  // A tab that is restored keeps its lock.
  await expect.poll(() => second.evaluate('locks.released')).toBe(1)
  expect(await panelOf(second).count()).toBe(0)
  expect(problems).toEqual([])
})

test('an upload that completed before others started with it is not offered in another tab', {
  timeout: 240_000,
}, async () => {
  const { page, context, problems, expectProblem } = await openUploadPage(site)
  const names = ['first.bin', 'other.bin']
  await Promise.all(names.map((name) => writeFile(join(folder, name), randomBytes(1024))))
  // The second one gets no lock.
  await page.evaluate(`{
    const request = navigator.locks.request.bind(navigator.locks)
    let count = 0
    navigator.locks.request = (...args) => (++count > 1 ? new Promise(() => undefined) : request(...args))
  }`)
  await start(
    page,
    names.map((name) => join(folder, name)),
  )
  await rowOf(page, 'first.bin').getByText('Stored', { exact: true }).waitFor()
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const second = await context.newPage()
  await second.goto('/files')
  await rowOf(second, 'other.bin').waitFor()
  expect(await panelOf(second).getByRole('listitem').count()).toBe(1)
  expect(problems).toEqual([])
})

/** Run in the page: how many unfinished uploads it stores, and how many of them it waits for. */
const countKept = `new Promise((done, fail) => {
  const opening = indexedDB.open('cairn-uploads')
  opening.onerror = () => fail(opening.error)
  opening.onsuccess = () => {
    const counting = opening.result.transaction('uploads').objectStore('uploads').count()
    counting.onsuccess = () => done(counting.result)
    opening.result.close()
  }
})`
const countWaiting = 'navigator.locks.query().then(({ pending }) => pending.length)'
