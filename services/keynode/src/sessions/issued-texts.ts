import { randomUUID } from 'node:crypto'
import { keySaveLifetimeMs, keyTextsAtOnceMost, keyTextsEveryMs, keyTextsMost } from '@cairn/protocol'
import { nameAsker } from '@cairn/service'

/** The name of a text, when it was issued and until when it is good, ms since 1970. */
export type TextSubject = { id: string; issuedAt: number; expiresAt: number }

/** Texts to sign that were issued by this process, by address: published clients do not send back what they signed. */
export type IssuedTexts = {
  /**
   * A text for an address to sign: a fresh one, or, where strangers could only drive out others by asking for more, an open
   * one once more.
   * @param ip who asks
   * @param write makes a fresh one
   */
  issue(address: string, ip: string, write: (subject: TextSubject) => Promise<string>): Promise<string>
  /** Those of an address that were issued at most so long ago, the newest first. */
  of(address: string, ageMs: number): string[]
  /** A signature of a text was taken: it makes room, and is only known as long as the same request may come again. */
  spend(address: string, id: string): void
}

type Entry = TextSubject & {
  address: string
  asker: string
  /** Orders by when it was last given to somebody. */
  givenAs: number
  isSpent: boolean
  ready: Promise<string>
  text: string | undefined
}

/** The same request may come again for this long: published clients try again by themselves. */
export const repeatMs = 60_000
/** Open texts of all addresses: some 100 MB. Beyond it, who asked for the most loses his own oldest. */
const textsMost = 100_000
const sweepEveryMs = 60_000

/**
 * A memory of one process, on purpose: it guards nothing. A text that is not known here, because the process ended or another
 * issued it, costs its user another signature; nodes decide by the text itself.
 *
 * Anybody may ask for texts in any name, so nobody's asking takes another's text away: an address has twelve open ones, then
 * a fresh one every five minutes, and is given open ones anew meanwhile. Each is good for one signature, whoever was given it.
 */
export function createIssuedTexts(
  clock: { now(): number },
  { mostOpen = textsMost }: { mostOpen?: number } = {},
): IssuedTexts {
  const byAddress = new Map<string, Set<Entry>>()
  const byAsker = new Map<string, Set<Entry>>()
  let count = 0
  let given = 0
  let sweptAt = clock.now()

  const put = (entry: Entry) => {
    addTo(byAddress, entry.address, entry)
    addTo(byAsker, entry.asker, entry)
    count++
  }
  const drop = (entry: Entry) => {
    if (!takeFrom(byAddress, entry.address, entry)) return
    takeFrom(byAsker, entry.asker, entry)
    count--
  }
  const sweep = () => {
    const now = clock.now()
    if (now - sweptAt < sweepEveryMs && count < mostOpen) return
    sweptAt = now
    for (const entries of byAddress.values()) for (const entry of entries) if (entry.expiresAt < now) drop(entry)
    if (count < mostOpen) return
    const heaviest = [...byAsker.values()].reduce((most, one) => (one.size > most.size ? one : most))
    for (const oldest of heaviest) {
      drop(oldest)
      return
    }
  }
  const give = (entry: Entry, asker: string) => {
    entry.givenAs = ++given
    takeFrom(byAsker, entry.asker, entry)
    entry.asker = asker
    addTo(byAsker, asker, entry)
    return entry.ready
  }

  return {
    issue(address, ip, write) {
      const now = clock.now()
      sweep()
      const asker = nameAsker(ip)
      const open = [...(byAddress.get(address) ?? [])].filter((entry) => !entry.isSpent && entry.expiresAt >= now)
      const fresh = open.filter(({ issuedAt }) => now - issuedAt < keyTextsEveryMs)
      if (open.length >= keyTextsAtOnceMost && fresh.length > 0)
        return give(
          fresh.reduce((last, one) => (one.givenAs < last.givenAs ? one : last)),
          asker,
        )
      const subject = { id: randomUUID(), issuedAt: now, expiresAt: now + keySaveLifetimeMs }
      const ready = write(subject)
      const entry: Entry = { ...subject, address, asker, givenAs: ++given, isSpent: false, ready, text: undefined }
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
        .slice(0, keyTextsMost)
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

function takeFrom(map: Map<string, Set<Entry>>, name: string, entry: Entry): boolean {
  const entries = map.get(name)
  if (entries === undefined || !entries.delete(entry)) return false
  if (entries.size === 0) map.delete(name)
  return true
}
