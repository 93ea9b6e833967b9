// Transfers of a page: how their panel lists them, and what users do about failed ones.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles, uploadText } from '@cairn/sdk'
import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { openEmpty } from './files-page.ts'
import { createPageClient } from './page-client.ts'
import { startUpload } from './start-upload.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
let folder = ''
beforeAll(async () => {
  site = await openConsoleTest()
  folder = await mkdtemp(join(tmpdir(), 'cairn-transfers-'))
  await mkdir(join(folder, 'photos', 'deep'), { recursive: true })
  await writeFile(join(folder, 'photos', 'one.txt'), 'one')
  await writeFile(join(folder, 'photos', 'deep', 'two.txt'), 'two')
  await writeFile(join(folder, 'loose.txt'), 'loose')
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/**
 * Starts encrypted uploads of which four send at the same time. Others wait while two send, so the four must have begun to save
 * their keys before any of them has saved its own.
 */
async function startFourTogether(page: Page): Promise<void> {
  const origins = new Set((site.network.profile.keyNodes ?? []).map((url) => new URL(url).origin))
  const held = Promise.withResolvers<void>()
  await page.route(
    (url) => origins.has(url.origin),
    async (route) => {
      await held.promise
      await route.continue().catch(() => undefined)
    },
  )
  await startUpload(page, 'encrypted')
  await expect.poll(() => page.getByText('Saving file key shards on five nodes').count()).toBe(4)
  held.resolve()
}

test('one failed upload stops no other, says why, and is retried; finished ones can be cleared', async () => {
  const { page, problems } = await openEmpty(site)
  const isAdd = (url: URL) => url.pathname === '/api/v0/add'
  let requests = 0
  // Either file may come first, because WebDriver BiDi shows no request body.
  await page.route(isAdd, (route) => {
    requests++
    if (requests > 1) return route.continue()
    return route.fulfill({ status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' })
  })
  await page.keyboard.press('u')
  const names = ['one.txt', 'two.txt']
  for (const name of names) await writeFile(join(folder, name), `content of ${name}`)
  await page.setInputFiles(
    'input[data-upload=files]',
    names.map((name) => join(folder, name)),
  )
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  const row = (name: string) => panel.getByRole('listitem').filter({ hasText: name })
  const retry = panel.getByRole('button', { name: /^Retry \w+\.txt$/ })
  await retry.waitFor()
  await panel.getByRole('listitem').getByText('Stored', { exact: true }).waitFor()
  expect(requests).toBe(2)
  await panel.getByRole('button', { name: 'Retry all failed' }).click()
  for (const name of names) await row(name).getByText('Stored', { exact: true }).waitFor()
  await panel.getByRole('button', { name: 'Clear done' }).click()
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show transfers' }).click()
  await panel.getByText('No transfers').waitFor()
  expect(problems).toEqual([])
})

test('reports a failure once: in a toast, or at its row, whose buttons stay uncovered', async () => {
  const { page } = await openEmpty(site, { width: 320, height: 640, theme: 'dark' })
  const held = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      await held.promise
      await route.fulfill({ status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' })
    },
  )
  const toasts = page.getByRole('region', { name: 'Notifications' }).getByText(/was not stored/)
  await page.keyboard.press('u')
  const names = ['one.bin', 'two.bin', 'three.bin']
  for (const name of names) await writeFile(join(folder, name), name)
  await page.setInputFiles(
    'input[data-upload=files]',
    names.map((name) => join(folder, name)),
  )
  await startUpload(page, 'public')
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  held.resolve()
  await expect.poll(() => toasts.count()).toBe(3)
  await page.getByRole('button', { name: /^Show transfers/ }).click()
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByRole('button', { name: 'Retry three.bin' }).waitFor()
  expect(await toasts.count()).toBe(0)
  await panel.getByRole('button', { name: 'Retry all failed' }).click()
  for (const name of names) await panel.getByRole('button', { name: `Retry ${name}` }).click({ trial: true })
  expect(await toasts.count()).toBe(0)
  // The toast informs users who see no panel.
  await page
    .getByRole('status')
    .getByText(/\.bin was not stored: /)
    .waitFor({ state: 'attached' })
})

test('the output of a failing test says what its page shows, waits for and was refused', async () => {
  const { page, context, describe } = await openEmpty(site)
  const held = Promise.withResolvers<void>()
  let requests = 0
  // Either file may come first, because WebDriver BiDi shows no request body.
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      if (requests++ === 0) await held.promise
      await route.fulfill({ status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' })
    },
  )
  await page.keyboard.press('u')
  const names = ['one.txt', 'two.txt']
  const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.setInputFiles('input[data-upload=files]', files)
  await startUpload(page, 'public')
  await page.getByRole('button', { name: /^Retry \w+\.txt$/ }).waitFor()
  const text = await describe()
  expect(text).toMatch(/Transfers: .*1 running · 1 failed/s)
  expect(text).toMatch(/Requests without an answer.*POST \S*\/api\/v0\/add/s)
  expect(text).toMatch(/Requests that failed.*\/api\/v0\/add\S*: 402/s)
  expect(text).toMatch(/"name": "(one|two).txt"/)
  held.resolve()
  // A page that hangs, and one that has closed, must not end a test before its own failure is reported.
  const hang = () => {
    for (;;);
  }
  await page.evaluate(`setTimeout(${hang}, 0)`)
  expect(await describe()).toContain('(no answer within 5 s)')
  await context.close()
  expect(await describe()).toContain('with 0 open page(s)')
})

test('cancels all transfers after one question, also those of an earlier page', async () => {
  const { page, expectProblem } = await openEmpty(site)
  expectProblem(/ERR_FAILED/)
  const held = Promise.withResolvers<void>()
  let sent = 0
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      sent++
      await held.promise
      await route.abort().catch(() => undefined)
    },
  )
  await page.keyboard.press('u')
  const files = [1, 2, 3, 4, 5, 6].map((at) => ({
    name: `${at}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`${at}`),
  }))
  await page.setInputFiles('input[data-upload=files]', files)
  await startFourTogether(page)
  const panel = page.getByRole('region', { name: 'Transfers' })
  const question = page.getByRole('dialog', { name: /^Cancel \d transfers\?$/ })
  await panel.getByRole('button', { name: 'Cancel all' }).click()
  await question.getByRole('button', { name: 'Continue' }).click()
  await question.waitFor({ state: 'detached' })
  // Uploads are noted before they are sent.
  await expect.poll(() => sent).toBe(4)
  expect(await panel.getByText('Queued', { exact: true }).count()).toBe(2)
  await page.reload()
  // Queued ones were not encrypted yet, so nothing of them is kept.
  const unfinished = panel.getByText('Unfinished: this encrypted upload starts over. Choose the file again.', {
    exact: true,
  })
  await unfinished.nth(1).waitFor()
  await panel.getByRole('button', { name: 'Cancel all' }).click()
  await question.getByRole('button', { name: 'Cancel all' }).click()
  await unfinished.first().waitFor({ state: 'detached' })
  await panel.getByRole('button', { name: 'Cancel all' }).waitFor({ state: 'detached' })
  held.resolve()
  await page.reload()
  await page.getByText('Nothing here yet').waitFor()
  expect(await panel.count()).toBe(0)
})

test('content under the transfers can be scrolled into view, on a phone and on a desktop', async () => {
  const { page, checkAccessibility } = await openEmpty(site, { width: 360, height: 740 })
  await page.keyboard.press('u')
  const names = Array.from({ length: 9 }, (_, at) => `row-${at}.txt`)
  const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.setInputFiles('input[data-upload=files]', files)
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('9 done').waitFor()
  await page.getByText('9 items', { exact: true }).first().waitFor()
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const name of names) await page.getByRole('button', { name: `Actions for ${name}` }).click({ trial: true })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }
  expect(await checkAccessibility()).toEqual([])
  // Without them, the page ends where it did before.
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  await panel.waitFor({ state: 'detached' })
  const end =
    '[getComputedStyle(document.querySelector("main")).paddingBottom, getComputedStyle(document.documentElement).scrollPaddingBottom]'
  expect(await page.evaluate(end)).toEqual(['32px', 'auto'])
})

test('an upload continues while the user navigates, guards the page, and disappears when cancelled', async () => {
  const { page, problems } = await openEmpty(site)
  const held = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      await held.promise
      await route.continue().catch(() => undefined)
    },
  )
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'loose.txt'))
  await startUpload(page, 'public')
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.getByRole('button', { name: 'Show transfers, 1 running' }).click()
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await page.getByRole('button', { name: 'Cancel loose.txt' }).click()
  await page.getByRole('region', { name: 'Transfers' }).getByText('Cancelled', { exact: true }).waitFor()
  held.resolve()
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  await page.getByText('Nothing here yet').waitFor()
  expect(problems).toEqual([])
})

test('lists running uploads first, shows queued ones with an empty bar, and cancelled ones not as done', async () => {
  const { page } = await openEmpty(site)
  const held = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    async (route) => {
      await held.promise
      await route.continue().catch(() => undefined)
    },
  )
  await page.keyboard.press('u')
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
  const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.setInputFiles('input[data-upload=files]', files)
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByRole('heading').getByText('2 running · 2 queued').waitFor()
  expect((await panel.getByRole('listitem').allTextContents()).map((text) => text.slice(0, 5))).toEqual(names)
  const bar = panel.getByRole('progressbar', { name: 'Progress of d.txt' })
  expect(await bar.getAttribute('aria-valuenow')).toBe('0')
  await panel.getByRole('button', { name: 'Cancel d.txt' }).click()
  held.resolve()
  await panel.getByRole('heading').getByText('3 done · 1 cancelled').waitFor()
})

test('lists many small files while they are stored, without fetching the list for each of them', async () => {
  const { page, problems } = await openEmpty(site)
  let listings = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/user/files_uploaded')) listings++
  })
  await page.keyboard.press('u')
  const files = Array.from({ length: 60 }, (_file, i) => {
    return { name: `small-${i}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`small ${i}`) }
  })
  await page.setInputFiles('input[data-upload=files]', files)
  const started = performance.now()
  await startUpload(page, 'public')
  await page.getByRole('region', { name: 'Transfers' }).getByText('60 done').waitFor()
  await page.getByText('60 items', { exact: true }).first().waitFor()
  // One per second, and those of the first and the last file.
  expect(listings).toBeLessThanOrEqual(3 + (performance.now() - started) / 1_000)
  expect(problems).toEqual([])
})

test('a progress bar of unknown length does not look full', async () => {
  const { page } = await openEmpty(site)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/setSharedKey/**', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'loose.txt'))
  await startUpload(page, 'encrypted')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('Saving file key shards on five nodes').waitFor()
  const bar = panel.getByRole('progressbar', { name: 'Progress of loose.txt' })
  const widthOf = (element: Locator) => element.evaluate((one) => one.getBoundingClientRect().width)
  expect(await widthOf(bar.locator('rect'))).toBeLessThan((await widthOf(bar)) / 2)
  held.resolve()
  await panel.getByText('Stored', { exact: true }).waitFor()
})

test('offers to rename an upload whose name is rejected, not to retry it', async () => {
  const { page } = await openEmpty(site)
  const isAdd = (url: URL) => url.pathname === '/api/v0/add'
  await page.route(isAdd, (route) =>
    route.fulfill({ status: 400, contentType: 'application/json', body: '{"error":{"code":"INVALID_PATH"}}' }),
  )
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'loose.txt'))
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  const rename = panel.getByRole('button', { name: 'Rename loose.txt and upload again' })
  await rename.waitFor()
  expect(await panel.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
  await page.unroute(isAdd)
  await rename.click()
  const name = page.getByRole('textbox', { name: 'Name of loose.txt' })
  await name.fill('../loose.txt')
  await page.keyboard.press('Tab')
  await page.getByText('A path must not contain "..".', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Name of ../loose.txt' }).fill('tight.txt')
  await startUpload(page, 'public')
  await page.getByRole('link', { name: 'tight.txt' }).waitFor()
})

test('a toast does not cover the filters or the buttons that close sheets and drawers', async () => {
  const { page } = await openEmpty(site)
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'loose.txt'))
  await startUpload(page, 'public')
  await page.getByRole('link', { name: 'loose.txt' }).waitFor()
  const isAdd = (url: URL) => url.pathname === '/api/v0/add'
  const held = Promise.withResolvers<void>()
  await page.route(isAdd, async (route) => {
    await held.promise
    await route.fulfill({ status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' })
  })
  await page.keyboard.press('u')
  const file = { name: 'bad.txt', mimeType: 'text/plain', buffer: Buffer.from('bad') }
  await page.setInputFiles('input[data-upload=files]', file)
  await startUpload(page, 'public')
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  held.resolve()
  await page.getByText('bad.txt was not stored').waitFor()
  await page.getByRole('button', { name: 'Encrypted', exact: true }).click({ trial: true })
  const close = page.getByRole('dialog').getByRole('button', { name: 'Close' })
  await page.keyboard.press('u')
  await close.click()
  await page.getByRole('link', { name: 'loose.txt' }).click()
  await close.click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByText('bad.txt was not stored').count()).toBe(1)
})

test('on a phone, a toast covers neither the title nor a button in the header and footer of an open sheet', async () => {
  const { page } = await openEmpty(site)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'loose.txt'))
  await startUpload(page, 'public')
  await page.getByRole('link', { name: 'loose.txt' }).waitFor()
  const isAdd = (url: URL) => url.pathname === '/api/v0/add'
  const refusal = { status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' }
  const held = Promise.withResolvers<void>()
  await page.route(isAdd, async (route) => {
    await held.promise
    await route.fulfill(refusal)
  })
  await page.keyboard.press('u')
  const file = { name: 'bad.txt', mimeType: 'text/plain', buffer: Buffer.from('bad') }
  await page.setInputFiles('input[data-upload=files]', file)
  await startUpload(page, 'public')
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  held.resolve()
  await page.getByText('bad.txt was not stored').waitFor()
  /** Focuses each later control of the last dialog, and returns the parts of its header and footer that the toast then covers. */
  const findCovered = () =>
    page.evaluate<string[]>(`(async () => {
      const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)
      await Promise.all(dialog.getAnimations().map(({ finished }) => finished))
      const nameOf = (part) => part.getAttribute('aria-label') ?? part.textContent
      const isCovered = (part) => {
        const { left, right, top, bottom, width } = part.getBoundingClientRect()
        const points = [[left + 1, top + 1], [right - 1, bottom - 1], [(left + right) / 2, (top + bottom) / 2]]
        return width > 1 && points.some(([x, y]) =>
          document.elementFromPoint(x, y)?.closest('[aria-label=Notifications]') != null)
      }
      const found = []
      for (const control of [document.activeElement, ...dialog.querySelectorAll('a, button:enabled, input:enabled, select')]) {
        if (control !== document.activeElement) control.focus()
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        const parts = dialog.querySelectorAll('header :is(h2, a, button), footer :is(a, button, input, select)')
        for (const part of [...parts, control])
          if (isCovered(part)) found.push(nameOf(part) + ' while ' + nameOf(control) + ' has the focus')
      }
      return found
    })()`)
  const dialog = page.getByRole('dialog')
  const check = async (what: string) => {
    await dialog.last().waitFor()
    expect.soft(await findCovered(), what).toEqual([])
    expect(await page.getByText('bad.txt was not stored').count()).toBe(1)
  }
  await page.keyboard.press('u')
  await check('upload')
  await page.setInputFiles(
    'input[data-upload=files]',
    Array.from({ length: 30 }, (_, i) => ({ ...file, name: `${i}` })),
  )
  await dialog.getByText('30 files').first().waitFor()
  await check('upload with files')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'loose.txt' }).click()
  await check('file')
  await dialog.getByRole('button', { name: 'Share' }).first().click()
  await dialog.nth(1).or(dialog.getByText('Anyone can read this file')).first().waitFor()
  await check('share')
  await dialog.last().getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog', { name: 'Move loose.txt' }).waitFor()
  await check('move')
  await page.setViewportSize({ width: 320, height: 700 })
  await check('move, smaller')
})

test('lists the first of thousands of transfers, and counts the others', async () => {
  const { page } = await openEmpty(site)
  // Nothing is stored.
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    () => undefined,
  )
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    for (let i = 0; i < 2500; i++) dataTransfer.items.add(new File([String(i)], 'note-' + i + '.txt'))
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  })()`)
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('and 2,300 more').waitFor()
  expect(await panel.getByRole('listitem').count()).toBe(201)
  await panel.getByRole('button', { name: 'Cancel note-0.txt' }).click()
  await panel.getByRole('button', { name: 'Pause note-200.txt' }).waitFor()
})

/** Number of uploads that the browser stores, or whose bytes it stores. */
const countKept = (database: string, table: string) => `new Promise((done, fail) => {
  const opening = indexedDB.open('${database}')
  opening.onerror = () => fail(opening.error)
  opening.onsuccess = () => {
    const count = opening.result.transaction('${table}').objectStore('${table}').count()
    count.onsuccess = () => {
      opening.result.close()
      done(count.result)
    }
  }
})`

test('all files of a large folder that are uploaded separately continue after a reload', async () => {
  const { page } = await openEmpty(site)
  // Nothing is stored.
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    () => undefined,
  )
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    for (let i = 0; i < 700; i++) dataTransfer.items.add(new File([String(i)], 'note-' + i + '.txt'))
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  })()`)
  await startUpload(page, 'public')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('698 queued').waitFor()
  await expect.poll(() => page.evaluate(countKept('cairn-upload-bytes', 'bytes')), { timeout: 120_000 }).toBe(700)
  await page.reload()
  await panel.getByText('698 queued').waitFor()
})

test('restores the other uploads if one cannot be read, and says so', async () => {
  const { page } = await openEmpty(site)
  // Nothing is stored.
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    () => undefined,
  )
  await page.keyboard.press('u')
  const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.setInputFiles('input[data-upload=files]', files)
  await startUpload(page, 'public')
  await expect.poll(() => page.evaluate(countKept('cairn-upload-bytes', 'bytes'))).toBe(3)
  await page.evaluate(`new Promise((done, fail) => {
    const opening = indexedDB.open('cairn-uploads')
    opening.onsuccess = () => {
      const writing = opening.result.transaction('uploads', 'readwrite')
      const rows = writing.objectStore('uploads')
      rows.getAll().onsuccess = ({ target }) => {
        const { files, ...damaged } = target.result.find(({ name }) => name === 'a.txt')
        rows.put(damaged)
      }
      writing.oncomplete = done
      writing.onerror = () => fail(writing.error)
      opening.result.close()
    }
  })`)
  await page.reload()
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('2 running').waitFor()
  await page.getByText('Unfinished uploads could not be read').waitFor()
})

test('the next encrypted uploads begin while others save their keys', async () => {
  const { page } = await openEmpty(site)
  const nodes = site.network.profile.keyNodes ?? []
  const origins = new Set(nodes.map((url) => new URL(url).origin))
  await page.route(
    (url) => origins.has(url.origin),
    () => undefined,
  )
  await page.keyboard.press('u')
  await page.setInputFiles(
    'input[data-upload=files]',
    Array.from({ length: 6 }, (_none, i) => ({
      name: `${i}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`${i}`),
    })),
  )
  await startUpload(page, 'encrypted')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('4 running · 2 queued').waitFor()
  await expect.poll(() => panel.getByText('Saving file key shards on five nodes').count()).toBe(4)
})

test('saves a file without a prompt while an upload runs, and asks before the page is left', async () => {
  const { page, wallet, open } = await openEmpty(site)
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await uploadText(client, 'open', { name: 'open.txt' })
  await uploadText(client, 'private', { name: 'letter.txt', private: true })
  await open('/files')
  await page.getByRole('link', { name: 'letter.txt' }).waitFor()
  const questions: string[] = []
  page.on('dialog', async (dialog) => {
    questions.push(dialog.type())
    await dialog.dismiss()
  })
  await page.route(
    (url) => url.pathname === '/api/v0/add',
    () => undefined,
  )
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', join(folder, 'loose.txt'))
  await startUpload(page, 'public')
  await page.getByRole('button', { name: 'Cancel loose.txt' }).waitFor()
  await page.getByRole('button', { name: 'Hide transfers' }).click()
  for (const name of ['open.txt', 'letter.txt']) {
    await page.getByRole('link', { name }).click()
    const fromLink = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('link', { name: 'Download' }).click()
    await fromLink
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name }).click({ button: 'right' })
    const fromMenu = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Download' }).click()
    await fromMenu
  }
  expect(questions).toEqual([])
  // Later, no prompt to save is expected.
  await page.waitForTimeout(1_500)
  await page.evaluate("location.assign('/docs')")
  await expect.poll(() => questions).toEqual(['beforeunload'])
})

test('one choice of files resumes hundreds of uploads with few updates of the list', async () => {
  const { page } = await openEmpty(site)
  const nodes = site.network.profile.keyNodes ?? []
  const origins = new Set(nodes.map((url) => new URL(url).origin))
  // Queued ones are not encrypted yet, so that nothing of them is kept.
  await page.route(
    (url) => origins.has(url.origin),
    () => undefined,
  )
  const choose = `const dataTransfer = new DataTransfer()
    for (let i = 0; i < 300; i++) dataTransfer.items.add(new File(['x'], 'note-' + i + '.txt', { lastModified: 5 }))`
  await page.evaluate(`(() => {
    ${choose}
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  })()`)
  await startUpload(page, 'encrypted')
  const panel = page.getByRole('region', { name: 'Transfers' })
  await panel.getByText('4 running · 296 queued').waitFor()
  await expect.poll(() => page.evaluate(countKept('cairn-uploads', 'uploads')), { timeout: 120_000 }).toBe(300)
  await page.reload()
  await panel.getByText('and 100 more').waitFor()
  await page.evaluate(`(() => {
    ${choose}
    globalThis.updates = 0
    new MutationObserver(() => globalThis.updates++).observe(document.querySelector('[data-transfers]'), {
      subtree: true,
      childList: true,
      characterData: true,
    })
    const input = document.querySelector('input[data-resume="*"]')
    input.files = dataTransfer.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })()`)
  await panel.getByText('4 running · 296 queued').waitFor()
  expect(await page.evaluate('globalThis.updates')).toBeLessThan(150)
})

test('after a reload, one choice of files resumes all uploads that wait for theirs', async () => {
  const { page, expectProblem } = await openEmpty(site)
  expectProblem(/ERR_FAILED/)
  await mkdir(join(folder, 'chosen'))
  const paths = await Promise.all(
    ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(async (name) => {
      const path = join(folder, 'chosen', name)
      await writeFile(path, `text ${name}`)
      // Size and time are the same, so that only the name tells them apart.
      await utimes(path, 1_700_000_000, 1_700_000_000)
      return path
    }),
  )
  const isAdd = (url: URL) => url.pathname === '/api/v0/add'
  const held = Promise.withResolvers<void>()
  let sent = 0
  await page.route(isAdd, async (route) => {
    sent++
    await held.promise
    await route.abort().catch(() => undefined)
  })
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', paths)
  await startFourTogether(page)
  const panel = page.getByRole('region', { name: 'Transfers' })
  await expect.poll(() => sent).toBe(4)
  // While the requests are held: one that is sent again before the reload would be stored, and then stored once more.
  await page.reload()
  await page.unroute(isAdd)
  held.resolve()
  const unfinished = panel.getByText('Unfinished: this encrypted upload starts over. Choose the file again.', {
    exact: true,
  })
  await unfinished.nth(1).waitFor()
  await panel.getByRole('button', { name: 'Choose files', exact: true }).waitFor()
  const rows = panel.getByRole('listitem').locator('p[title]')
  await expect.poll(() => rows.allTextContents()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt'])
  await panel.getByRole('button', { name: 'Choose folder', exact: true }).waitFor()
  const other = join(folder, 'chosen', 'e.txt')
  await writeFile(other, 'text e.txt')
  await utimes(other, 1_700_000_000, 1_700_000_000)
  const all = page.locator('input[data-resume="*"]')
  await all.setInputFiles([other, paths[0] ?? ''])
  await page.getByText(/^\d uploads still unfinished$/).waitFor()
  await all.setInputFiles([other, ...paths])
  await expect.poll(() => panel.getByText('Stored', { exact: true }).count(), { timeout: 60_000 }).toBe(4)
  const client = await createPageClient(site, page)
  const names: string[] = []
  for await (const { fileName } of listFiles(client)) names.push(fileName)
  expect(names.sort()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt'])
})
