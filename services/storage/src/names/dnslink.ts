import { CairnError } from '@cairn/protocol'
import { createAddressSlots, isUpcoming, type SlotLimits } from '@cairn/service'
import { createLruCache } from '../lru-cache.ts'
import { createDnsClient } from './dns-client.ts'
import { readTarget } from './name-value.ts'

/** Who asks: the IP address limits the lookups, the signal ends the wait. */
export type NameClient = { readonly address: string; readonly signal: AbortSignal }

/** Resolves DNSLinks. */
export type DnslinkResolver = {
  /** Returns the target of a host. @throws CairnError NAME_UNRESOLVED, UPSTREAM_FAILED, OVERLOADED */
  resolve(host: string, client: NameClient): Promise<{ value: string; maxAgeMs: number }>
}

/** Maximum lifetime of a cached answer; its TTL applies below it. */
const maxLifetimeMs = 24 * 3_600_000
/** How long a missing DNSLink is cached. */
const missingLifetimeMs = 15_000
/** How long an expired link still serves while it cannot be looked up. @see https://www.rfc-editor.org/rfc/rfc8767 */
const maxStaleMs = 3_600_000
/** Maximum length of a DNS name. */
const maxNameCharacters = 253
const missing = { kind: 'missing' } as const
/** Cached hosts and links in characters: about 10,000 links. */
const maxLinkCharacters = 1_000_000
/** Cached hosts without a DNSLink. Apart from the links, because a request for any host adds one. */
const maxMissing = 1000
const lookupLimits = { max: 64, maxPerAddress: 8 }

type Link = { value: string; until: number }

/**
 * Reads `_dnslink.{host}` from the configured servers only.
 * @param isExempt addresses that represent many clients, such as proxies
 * @see https://dnslink.org/
 */
export function createDnslinkResolver(
  servers: readonly string[],
  now: () => number,
  { isExempt }: Pick<SlotLimits, 'isExempt'> = {},
): DnslinkResolver {
  const client = createDnsClient(servers)
  const links = createLruCache<Link>(maxLinkCharacters)
  /** When the answer expires. */
  const withoutLink = createLruCache<number>(maxMissing)
  const running = new Map<string, Promise<Link | undefined>>()
  const slots = createAddressSlots({ ...lookupLimits, ...(isExempt === undefined ? {} : { isExempt }) })

  const keepMissing = (host: string, ageMs: number): undefined => {
    links.delete(host)
    withoutLink.set(host, now() + ageMs, 1)
  }

  const ask = async (host: string): Promise<Link | undefined> => {
    const name = `_dnslink.${host}`
    const answer = name.length > maxNameCharacters ? missing : await client.queryText(name)
    if (answer.kind === 'missing') return keepMissing(host, missingLifetimeMs)
    if (answer.kind === 'texts') {
      const value = chooseLink(answer.texts)
      const ttlMs = answer.ttlSeconds * 1000
      if (value === undefined) return keepMissing(host, Math.min(ttlMs, missingLifetimeMs))
      const link = { value, until: now() + Math.min(ttlMs, maxLifetimeMs) }
      withoutLink.delete(host)
      links.set(host, link, host.length + value.length)
      return link
    }
    throw new CairnError('UPSTREAM_FAILED', {
      message: `The DNS servers returned no response for ${host}`,
      hint: 'Try again later, or open the CID directly.',
    })
  }

  const lookUp = async (host: string, address: string): Promise<Link | undefined> => {
    const started = running.get(host)
    if (started !== undefined) return started
    const release = slots.acquire(address)
    if (release === undefined) throw new CairnError('OVERLOADED', { retryAfterSeconds: 2 })
    const asking = ask(host).finally(() => {
      running.delete(host)
      release()
    })
    running.set(host, asking)
    return asking
  }

  const find = async (host: string, address: string): Promise<Link | undefined> => {
    const kept = links.get(host)
    if (kept !== undefined && isUpcoming(kept.until, now(), maxLifetimeMs)) return kept
    if (isUpcoming(withoutLink.get(host) ?? 0, now(), missingLifetimeMs)) return undefined
    try {
      return await lookUp(host, address)
    } catch (error) {
      const isUsable = kept !== undefined && isUpcoming(kept.until + maxStaleMs, now(), maxLifetimeMs + maxStaleMs)
      if (isUsable && isLookupUnavailable(error)) return kept
      throw error
    }
  }

  return {
    async resolve(host, { address, signal }) {
      const link = await find(host, address)
      signal.throwIfAborted()
      if (link === undefined) {
        throw new CairnError('NAME_UNRESOLVED', {
          message: `${host} has no DNSLink`,
          hint: `Add a TXT record "dnslink=/ipfs/{cid}" at _dnslink.${host}.`,
        })
      }
      return { value: link.value, maxAgeMs: Math.max(0, link.until - now()) }
    },
  }
}

/** Whether a lookup failed for now: the DNS servers return nothing, or too many lookups run. */
export function isLookupUnavailable(error: unknown): boolean {
  return CairnError.is(error, 'UPSTREAM_FAILED') || CairnError.is(error, 'OVERLOADED')
}

/** Returns the first of several links in byte order, so that all readers choose the same one. */
function chooseLink(texts: readonly string[]): string | undefined {
  const links = texts.flatMap((text) => {
    const value = /^dnslink=(\/ip[fn]s\/.+)$/.exec(text.trim())?.[1]
    return value !== undefined && readTarget(value) !== undefined ? [value] : []
  })
  return links.toSorted()[0]
}
