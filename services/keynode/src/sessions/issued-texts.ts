import { randomUUID } from 'node:crypto'
import { keySaveLifetimeMs, keyTextsEveryMs, maxKeyTexts, maxKeyTextsAtOnce } from '@cairn/protocol'
import { rateLimitKey } from '@cairn/service'
import { createEntriesByAsker } from './entries-by-asker.ts'

/** Id, issue time and expiry of a text, in ms since 1970. */
export type TextSubject = { id: string; issuedAt: number; expiresAt: number }

/**
 * Texts that this process issued for signing, by address. Stored, because published clients do not send back the text they
 * signed.
 */
export type IssuedTexts = {
  /**
   * Issues a text for an address to sign: a fresh one or, when further requests would evict others, an open one
   * again.
   * @param ip of the client
   * @param write creates a fresh text
   */
  issue(address: string, ip: string, write: (subject: TextSubject) => Promise<string>): Promise<string>
  /** Returns the texts of an address issued within the given time, newest first. */
  of(address: string, ageMs: number): string[]
  /**
   * Marks a text as spent: it no longer counts against the limit, and is kept only as long as the same request may be
   * repeated.
   */
  spend(address: string, id: string): void
}

type Entry = TextSubject & {
  address: string
  asker: string
  /** Orders entries by when they were last issued. */
  issueNumber: number
  isSpent: boolean
  ready: Promise<string>
  text: string | undefined
}

/** How long the same request may be repeated: published clients retry automatically. */
export const repeatMs = 60_000
/**
 * Maximum number of open texts of all addresses, about 100 MB. Beyond it, the IP address with the most texts loses
 * its oldest.
 */
const maxTexts = 100_000
const sweepEveryMs = 60_000

/**
 * Kept in memory of one process on purpose: it protects nothing. A text that is not known here, because the process
 * ended or another one issued it, costs its user another signature; nodes decide by the text itself.
 * Texts can be requested for any address, so a request must not evict another client's text: an address has up to
 * twelve open texts, then a fresh one every five minutes, and receives open ones again in between. Each is valid for
 * one signature, regardless of who requested it.
 */
export function createIssuedTexts(
  clock: { now(): number },
  { maxOpen = maxTexts }: { maxOpen?: number } = {},
): IssuedTexts {
  const byAddress = new Map<string, Set<Entry>>()
  const byAsker = createEntriesByAsker<Entry>()
  let count = 0
  let given = 0
  let sweptAt = clock.now()

  const put = (entry: Entry) => {
    addTo(byAddress, entry.address, entry)
    byAsker.add(entry.asker, entry)
    count++
  }
  const drop = (entry: Entry) => {
    if (!removeFrom(byAddress, entry.address, entry)) return
    byAsker.remove(entry.asker, entry)
    count--
  }
  /** Reads all entries, so it runs once a minute, not for each text beyond the maximum. */
  const sweep = (now: number) => {
    if (now - sweptAt < sweepEveryMs) return
    sweptAt = now
    for (const entries of byAddress.values()) for (const entry of entries) if (entry.expiresAt < now) drop(entry)
  }
  const evict = () => {
    const oldest = count < maxOpen ? undefined : byAsker.oldestOfHeaviest()
    if (oldest !== undefined) drop(oldest)
  }
  const issueEntry = (entry: Entry, asker: string) => {
    entry.issueNumber = ++given
    byAsker.remove(entry.asker, entry)
    entry.asker = asker
    byAsker.add(asker, entry)
    return entry.ready
  }

  return {
    issue(address, ip, write) {
      const now = clock.now()
      sweep(now)
      evict()
      const asker = rateLimitKey(ip)
      const open = [...(byAddress.get(address) ?? [])].filter((entry) => !entry.isSpent && entry.expiresAt >= now)
      const fresh = open.filter(({ issuedAt }) => now - issuedAt < keyTextsEveryMs)
      if (open.length >= maxKeyTextsAtOnce && fresh.length > 0)
        return issueEntry(
          fresh.reduce((last, one) => (one.issueNumber < last.issueNumber ? one : last)),
          asker,
        )
      const subject = { id: randomUUID(), issuedAt: now, expiresAt: now + keySaveLifetimeMs }
      const ready = write(subject)
      const entry: Entry = { ...subject, address, asker, issueNumber: ++given, isSpent: false, ready, text: undefined }
      put(entry)
      ready.then(
        (text) => {
          entry.text = text
        },
        () => drop(entry),
      )
      return ready
    },
    of(address, ageMs) {
      const since = clock.now() - ageMs
      return [...(byAddress.get(address) ?? [])]
        .filter(({ issuedAt, expiresAt }) => issuedAt >= since && expiresAt >= clock.now())
        .sort((a, b) => Number(a.isSpent) - Number(b.isSpent) || b.issuedAt - a.issuedAt)
        .flatMap(({ text }) => (text === undefined ? [] : [text]))
        .slice(0, maxKeyTexts)
    },
    spend(address, id) {
      const entry = [...(byAddress.get(address) ?? [])].find((one) => one.id === id)
      if (entry === undefined || entry.isSpent) return
      entry.isSpent = true
      entry.expiresAt = Math.min(entry.expiresAt, clock.now() + repeatMs)
    },
  }
}

function addTo(map: Map<string, Set<Entry>>, name: string, entry: Entry): void {
  const entries = map.get(name)
  if (entries === undefined) map.set(name, new Set([entry]))
  else entries.add(entry)
}

function removeFrom(map: Map<string, Set<Entry>>, name: string, entry: Entry): boolean {
  const entries = map.get(name)
  if (entries === undefined || !entries.delete(entry)) return false
  if (entries.size === 0) map.delete(name)
  return true
}
