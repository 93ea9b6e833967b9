// What the pages of a browser context show and wait for, as text that a failing test prints, so that its cause can be read.
import type { BrowserContext, Page, Request } from 'playwright'

/** Longest wait for a page to describe itself, in ms; a page that hangs is reported as such. */
const answerMs = 5_000
/** Maximum characters of one page, and maximum lines of each list. */
const maxTextLength = 12_000
const maxLines = 40

/** Runs in the page: returns the locks of its origin, and its stored unfinished uploads. */
const readKept = `(async () => {
  const locks = await navigator.locks?.query()
  const name = 'cairn-uploads'
  const isThere = (await indexedDB.databases()).some((one) => one.name === name)
  const uploads = !isThere ? [] : await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const rows = opening.result.transaction('uploads').objectStore('uploads').getAll()
      rows.onsuccess = () => resolve(rows.result.map(({ id, name, isPaused, state, keptBytes }) => ({ id, name, isPaused, keptBytes, begun: state?.id })))
      opening.result.close()
    }
  })
  return JSON.stringify({ held: locks?.held.map((one) => one.name), pending: locks?.pending.map((one) => one.name), uploads }, undefined, 1)
})()`

/** Records the requests and console lines of a context from now on; returns a function that describes its current pages. */
export function recordContext(context: BrowserContext): () => Promise<string> {
  const started = performance.now()
  const waiting = new Map<Request, number>()
  const refused: string[] = []
  const lines: string[] = []
  const now = () => `${((performance.now() - started) / 1_000).toFixed(1)} s`
  const name = (request: Request) => `${request.method()} ${request.url()}`
  context.on('request', (request) => waiting.set(request, performance.now()))
  context.on('requestfinished', (request) => waiting.delete(request))
  context.on('requestfailed', (request) => {
    waiting.delete(request)
    refused.push(`${now()} ${name(request)}: ${request.failure()?.errorText}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${now()} ${name(response.request())}: ${response.status()}`)
  })
  context.on('console', (message) => lines.push(`${now()} ${message.type()}: ${message.text()}`))
  context.on('weberror', (error) => lines.push(`${now()} ${error.error().stack ?? error.error().message}`))
  return async () => {
    const pages = context.pages()
    const shown = await Promise.all(pages.map(describeOne))
    const unanswered = [...waiting].map(
      ([request, from]) => `${((performance.now() - from) / 1_000).toFixed(1)} s ago: ${name(request)}`,
    )
    return [
      `At ${now()}, with ${pages.length} open page(s):`,
      ...shown,
      ...list('Requests without an answer', unanswered),
      ...list('Requests that failed', refused),
      ...list('Console', lines),
    ].join('\n')
  }
}

function list(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`${title}: none`]
  return [`${title} (${lines.length}):`, ...lines.slice(-maxLines).map((line) => `  ${line}`)]
}

async function describeOne(page: Page): Promise<string> {
  const text = await within(page.locator('body').ariaSnapshot({ timeout: answerMs }))
  const kept = await within(page.evaluate<string>(readKept))
  const panel = await within(
    page
      .getByRole('region', { name: 'Transfers' })
      .allInnerTexts()
      .then((all) => all.join('\n')),
  )
  return [
    `--- ${page.url()}`,
    text.slice(0, maxTextLength),
    `Transfers: ${panel === '' ? 'not shown' : panel.slice(0, maxTextLength)}`,
    `Locks and kept uploads: ${kept}`,
  ].join('\n')
}

/** A page that has closed or hangs must not hide the failure of the test. */
async function within(reading: Promise<string>): Promise<string> {
  const limit = Promise.withResolvers<string>()
  const timer = setTimeout(() => limit.resolve(`(no answer within ${answerMs / 1_000} s)`), answerMs)
  try {
    return await Promise.race([reading, limit.promise])
  } catch (error) {
    return `(${error instanceof Error ? error.message.split('\n')[0] : String(error)})`
  } finally {
    clearTimeout(timer)
  }
}
