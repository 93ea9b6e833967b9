import { CairnError } from '@cairn/protocol'
import { createDnsClient } from './dns-client.ts'
import { readTarget } from './name-value.ts'

/** Looks DNSLinks up. */
export type DnslinkResolver = {
  /** What a host points to. @throws CairnError NAME_UNRESOLVED, UPSTREAM_FAILED */
  resolve(host: string, signal: AbortSignal): Promise<{ value: string; maxAgeMs: number }>
}

/** An answer is kept as long as its TTL says, up to this. */
const lifetimeMsMost = 24 * 3_600_000
/** How long it is remembered that a host has no DNSLink. */
const missingLifetimeMs = 15_000
/** Longest name there is. */
const nameCharactersMost = 253
const missing = { kind: 'missing' } as const
const keptMost = 1000
const lookupsMost = 64

type Kept = { value: string | undefined; until: number }

/**
 * Reads `_dnslink.{host}` from the servers given, and from nowhere else.
 * @see https://dnslink.org/
 */
export function createDnslinkResolver(servers: readonly string[], now: () => number): DnslinkResolver {
  const client = createDnsClient(servers)
  const kept = new Map<string, Kept>()
  const running = new Map<string, Promise<Kept>>()

  const keep = (host: string, value: string | undefined, ageMs: number): Kept => {
    const entry = { value, until: now() + ageMs }
    kept.delete(host)
    const [oldest] = kept.keys()
    if (kept.size >= keptMost && oldest !== undefined) kept.delete(oldest)
    kept.set(host, entry)
    return entry
  }

  const ask = async (host: string): Promise<Kept> => {
    const name = `_dnslink.${host}`
    const answer = name.length > nameCharactersMost ? missing : await client.askText(name)
    if (answer.kind === 'missing') return keep(host, undefined, missingLifetimeMs)
    if (answer.kind === 'texts') {
      const link = chooseLink(answer.texts)
      return keep(
        host,
        link,
        Math.min(answer.ttlSeconds * 1000, link === undefined ? missingLifetimeMs : lifetimeMsMost),
      )
    }
    throw new CairnError('UPSTREAM_FAILED', {
      message: `The DNS servers gave no answer about ${host}`,
      hint: 'Try again later, or open the CID itself.',
    })
  }

  const lookUp = (host: string): Promise<Kept> => {
    const started = running.get(host)
    if (started !== undefined) return started
    if (running.size >= lookupsMost) throw new CairnError('OVERLOADED', { retryAfterSeconds: 2 })
    const asking = ask(host).finally(() => running.delete(host))
    running.set(host, asking)
    return asking
  }

  return {
    async resolve(host, signal) {
      const before = kept.get(host)
      const entry = before !== undefined && before.until > now() ? before : await lookUp(host)
      signal.throwIfAborted()
      if (entry.value === undefined) {
        throw new CairnError('NAME_UNRESOLVED', {
          message: `${host} has no DNSLink`,
          hint: `Add a TXT record "dnslink=/ipfs/{cid}" at _dnslink.${host}.`,
        })
      }
      return { value: entry.value, maxAgeMs: Math.max(0, entry.until - now()) }
    },
  }
}

/** Of several links, the first in the order of their bytes, so that all readers choose the same. */
function chooseLink(texts: readonly string[]): string | undefined {
  const links = texts.flatMap((text) => {
    const value = /^dnslink=(\/ip[fn]s\/.+)$/.exec(text.trim())?.[1]
    return value !== undefined && readTarget(value) !== undefined ? [value] : []
  })
  return links.toSorted()[0]
}
