import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { LogGate } from '@cairn/service'
import { readLimited, requestOutside } from '@cairn/service'
import { type ListFile, maxListBytes } from './list-files.ts'
import { parseDenylist } from './parse-denylist.ts'

const fetchTimeoutMs = 120_000
/** Delay before the next attempt after a failure, in ms. */
const retryAfterMs = 60_000
const maxRedirects = 5

/** A list of another publisher. */
export type Subscription = {
  /** Returns the newest copy; undefined until one was fetched. Logs a copy that cannot be read; the one before it applies. */
  read(): Promise<ListFile | undefined>
  /** Fetches the list when it is due. Logs a failure or a response that is not a denylist, and keeps the copy. */
  update(signal: AbortSignal): Promise<void>
}

/**
 * Subscribes to a list at a URL. `folder` keeps the newest copy and the one before it, so that a start while the publisher is
 * offline applies the same rules, or those before if the newest copy is damaged.
 * @param everyMs delay between two requests, in ms
 */
export function createSubscription(
  url: string,
  { folder, everyMs, failures }: { folder: string; everyMs: number; failures: Pick<LogGate, 'failed' | 'recovered'> },
): Subscription {
  const id = createHash('sha256').update(url).digest('hex').slice(0, 32)
  const path = join(folder, `${id}.deny`)
  const previousPath = `${path}.previous`
  const { origin, pathname, search } = new URL(url)
  // The query may contain a key, but distinguishes lists.
  const name = `${origin}${pathname}${search === '' ? '' : `?${id.slice(0, 8)}`}`
  const key = `denylist ${url}`
  const copyKey = `denylist copy ${url}`
  let copy: ListFile | undefined
  /** Version of the file at `path`; undefined if there is none that can be read. */
  let storedVersion: string | undefined
  let etag: string | undefined
  let nextAt = 0

  const fetchList = async (signal: AbortSignal): Promise<void> => {
    const response = await requestList(
      new URL(url),
      etag === undefined ? {} : { 'if-none-match': etag },
      AbortSignal.any([signal, AbortSignal.timeout(fetchTimeoutMs)]),
    )
    const { statusCode = 0, headers } = response
    if (statusCode === 304) {
      response.destroy()
      return
    }
    if (statusCode !== 200) {
      response.destroy()
      throw new Error(`${name} returned status ${statusCode}`)
    }
    const text = await readLimited({ body: response }, maxListBytes)
    const list = listOf(name, text)
    if (list.version !== copy?.version) requireRules(name, text)
    copy = list
    if (list.version !== storedVersion) await store(list)
    // Until the copy is there, the next request fetches the list again.
    etag = headers.etag
  }

  const store = async ({ version, text }: ListFile): Promise<void> => {
    await mkdir(folder, { recursive: true })
    // Durable before it is renamed, so that no incomplete copy is ever read.
    await writeFile(`${path}.new`, text, { flush: true })
    if (storedVersion !== undefined) await rename(path, previousPath)
    await rename(`${path}.new`, path)
    storedVersion = version
  }

  return {
    async read() {
      if (copy !== undefined) return copy
      try {
        copy = await readCopy(path, name)
        storedVersion = copy?.version
        failures.recovered(copyKey, 'copy of a denylist is readable again', { list: name })
      } catch (error) {
        // Nothing else waits for it: the rules of the operator apply, and the next update fetches the list.
        failures.failed(copyKey, error, 'failed to read the copy of a denylist', { list: name })
      }
      copy ??= await readCopy(previousPath, name).catch(() => undefined)
      return copy
    },
    async update(signal) {
      if (performance.now() < nextAt) return
      try {
        await fetchList(signal)
        nextAt = performance.now() + everyMs
        failures.recovered(key, 'denylist is available again', { list: name })
      } catch (error) {
        if (signal.aborted) return
        nextAt = performance.now() + Math.min(everyMs, retryAfterMs)
        failures.failed(key, error, 'failed to fetch a denylist', { list: name })
      }
    },
  }
}

/** Requests a list. Only the operator's own host may be private: a redirect to another one must lead to the public internet. */
async function requestList(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
  let target = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await requestOutside(target, { headers, signal, allowsPrivate: target.host === url.host })
    const { statusCode = 0, headers: received } = response
    if (![301, 302, 303, 307, 308].includes(statusCode) || received.location === undefined) return response
    response.destroy()
    const next = new URL(received.location, target)
    if (next.protocol !== 'https:' && next.protocol !== url.protocol) throw new Error('it redirects to an insecure URL')
    target = next
  }
  throw new Error(`it redirects more than ${maxRedirects} times`)
}

/**
 * Rejects what is not a denylist, such as the page of a server in maintenance: it would withdraw every rule of the list.
 * @throws CairnError INVALID_CONFIGURATION as `parseDenylist`; Error
 */
function requireRules(name: string, text: string): void {
  const { rules, failures } = parseDenylist(text)
  if (rules.length === 0 && (failures.length > 0 || text.trim() === '')) throw new Error(`${name} is not a denylist`)
}

function listOf(name: string, text: string): ListFile {
  return { name, version: createHash('sha256').update(text).digest('hex'), text }
}

/** Returns a copy; undefined if there is none. Rejects one that was damaged, as `requireRules`. */
async function readCopy(path: string, name: string): Promise<ListFile | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  requireRules(`The copy ${path}`, text)
  return listOf(name, text)
}
