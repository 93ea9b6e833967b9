import { CairnError } from '@cairn/protocol'
import { createDnsClient } from './dns-client.ts'
import { readTarget } from './name-value.ts'

/** Resolves DNSLinks. */
export type DnslinkResolver = {
  /** Returns the target of a host. @throws CairnError NAME_UNRESOLVED, UPSTREAM_FAILED */
  resolve(host: string, signal: AbortSignal): Promise<{ value: string; maxAgeMs: number }>
}

/** Maximum lifetime of a cached answer; its TTL applies below it. */
const maxLifetimeMs = 24 * 3_600_000
/** How long a missing DNSLink is cached. */
const missingLifetimeMs = 15_000
/** Maximum length of a DNS name. */
const maxNameCharacters = 253
const missing = { kind: 'missing' } as const
const maxKept = 1000
const maxLookups = 64

type Kept = { value: string | undefined; until: number }

/**
 * Reads `_dnslink.{host}` from the configured servers only.
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
    if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest)
    kept.set(host, entry)
    return entry
  }

  const ask = async (host: string): Promise<Kept> => {
    const name = `_dnslink.${host}`
    const answer = name.length > maxNameCharacters ? missing : await client.queryText(name)
    if (answer.kind === 'missing') return keep(host, undefined, missingLifetimeMs)
    if (answer.kind === 'texts') {
      const link = chooseLink(answer.texts)
      return keep(
        host,
        link,
        Math.min(answer.ttlSeconds * 1000, link === undefined ? missingLifetimeMs : maxLifetimeMs),
      )
    }
    throw new CairnError('UPSTREAM_FAILED', {
      message: `The DNS servers returned no response for ${host}`,
      hint: 'Try again later, or open the CID directly.',
    })
  }

  const lookUp = (host: string): Promise<Kept> => {
    const started = running.get(host)
    if (started !== undefined) return started
    if (running.size >= maxLookups) throw new CairnError('OVERLOADED', { retryAfterSeconds: 2 })
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

/** Of several links, returns the first in byte order, so that all readers choose the same. */
function chooseLink(texts: readonly string[]): string | undefined {
  const links = texts.flatMap((text) => {
    const value = /^dnslink=(\/ip[fn]s\/.+)$/.exec(text.trim())?.[1]
    return value !== undefined && readTarget(value) !== undefined ? [value] : []
  })
  return links.toSorted()[0]
}
