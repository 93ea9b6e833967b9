import { isDnsName, type NameRecord, readName } from '@cairn/names'
import { CairnError, maxNameDepth } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { RequestedName } from '../requested-name.ts'
import type { DnslinkResolver, NameClient } from './dnslink.ts'
import { findRecord } from './find-record.ts'
import { readTarget } from './name-value.ts'
import type { NamesContext } from './names-context.ts'

export type { RequestedName } from '../requested-name.ts'

/** The final target of a name. */
export type ResolvedName = {
  cid: CID
  /** The CID as written in the last record. */
  cidText: string
  /** Path segments below the CID that the records add, outermost last. */
  segments: readonly string[]
  /**
   * How long the answer may be cached: no longer than any record on the way allows, and 0 after one of them has
   * expired.
   */
  maxAgeMs: number
}

/** What the operator denies. @throws CairnError CONTENT_DENIED, CONTENT_DENIED_BY_LAW */
export type NameRules = {
  requireName(name: RequestedName, segments: readonly string[]): void
  requireContent(cid: CID, segments: readonly string[]): void
}

/** Resolves names for the gateway. */
export type NameResolver = {
  /** Parses an IPNS name in any form, or a DNS name; undefined for anything else. */
  read(text: string): RequestedName | undefined
  /**
   * Whether a host has a DNSLink; false when no resolver is configured. @throws CairnError UPSTREAM_FAILED,
   * OVERLOADED
   */
  hasDnslink(host: string, client: NameClient): Promise<boolean>
  /**
   * Resolves a name to content. Each name on the way, and the content, must be allowed with the path below it.
   * @param below the requested path below the name
   * @throws CairnError NAME_UNRESOLVED, NAME_EXPIRED, NAME_TOO_DEEP, UPSTREAM_FAILED, OVERLOADED, CONTENT_DENIED,
   * CONTENT_DENIED_BY_LAW, NOT_SUPPORTED (a DNS name when no resolver is configured)
   */
  resolve(name: RequestedName, below: readonly string[], client: NameClient, rules: NameRules): Promise<ResolvedName>
  /**
   * Returns the signed record of a name, for clients that verify it themselves. @throws CairnError NAME_UNRESOLVED,
   * NAME_EXPIRED
   */
  record(name: string): Promise<{ bytes: Uint8Array; maxAgeMs: number }>
}

/** Resolves names with the records stored here, and DNS names with the operator's DNS servers, if any. */
export function createNameResolver(
  context: Pick<NamesContext, 'db' | 'clock'>,
  dnslink: DnslinkResolver | undefined,
): NameResolver {
  const { clock } = context

  const find = async (name: string): Promise<NameRecord> => {
    try {
      return await findRecord(context, name)
    } catch (error) {
      throw CairnError.is(error, 'NAME_NOT_FOUND') ? new CairnError('NAME_UNRESOLVED', { cause: error }) : error
    }
  }

  const readOne = async (name: RequestedName, client: NameClient): Promise<{ value: string; maxAgeMs: number }> => {
    if (name.kind === 'dns') {
      if (dnslink !== undefined) return dnslink.resolve(name.host, client)
      throw new CairnError('NOT_SUPPORTED', {
        message: 'This gateway does not resolve DNS names',
        hint: 'Use the IPNS name or the CID itself, or ask the operator to set CAIRN_DNSLINK_RESOLVERS.',
      })
    }
    const record = await find(name.name)
    return { value: record.value, maxAgeMs: ageOf(record, clock.now()) }
  }

  return {
    read(text) {
      const name = readName(text)
      if (name !== undefined) return { kind: 'ipns', name }
      const host = text.toLowerCase().replace(/\.$/, '')
      return isDnsName(host) ? { kind: 'dns', host } : undefined
    },
    async hasDnslink(host, client) {
      if (dnslink === undefined) return false
      try {
        await dnslink.resolve(host, client)
        return true
      } catch (error) {
        if (CairnError.is(error, 'NAME_UNRESOLVED')) return false
        throw error
      }
    },
    async resolve(start, below, client, rules) {
      let name = start
      let maxAgeMs = Number.POSITIVE_INFINITY
      let segments: readonly string[] = []
      for (let depth = 0; depth < maxNameDepth; depth++) {
        client.signal.throwIfAborted()
        rules.requireName(name, [...segments, ...below])
        const found = await readOne(name, client)
        maxAgeMs = Math.min(maxAgeMs, found.maxAgeMs)
        const target = readTarget(found.value)
        if (target === undefined) {
          throw new CairnError('NAME_TOO_DEEP', {
            message: 'This name points to a value that is not readable',
            hint: 'The owner must publish a value that starts with /ipfs/ or /ipns/.',
          })
        }
        // Segments of a later name precede those of an earlier one.
        segments = [...target.segments, ...segments]
        if (target.kind === 'ipfs') {
          rules.requireContent(target.cid, [...segments, ...below])
          return { cid: target.cid, cidText: target.cidText, segments, maxAgeMs }
        }
        name = target.kind === 'ipns' ? { kind: 'ipns', name: target.name } : { kind: 'dns', host: target.host }
      }
      throw new CairnError('NAME_TOO_DEEP', { details: { limit: maxNameDepth } })
    },
    async record(name) {
      const record = await find(name)
      return { bytes: record.bytes, maxAgeMs: ageOf(record, clock.now()) }
    },
  }
}

/** Returns how long a record may be cached: its TTL, but never beyond its expiry. */
export function ageOf({ ttlMs, validUntil }: { ttlMs: number; validUntil: number }, now: number): number {
  return Math.max(0, Math.min(ttlMs, validUntil - now))
}
