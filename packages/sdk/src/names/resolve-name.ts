import type { NameRecord } from '@cairn/names'
import { CairnError, maxNameDepth, resolveName as resolveNameCall, withoutTrailing } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { rememberRecord } from './known-names.ts'
import { loadTools } from './load-tools.ts'
import { bare } from './names.ts'

export type ResolveOptions = CallOptions & {
  /** Follows names that point to names. Defaults to true. */
  recursive?: boolean
}

/** The target of a name, signed by the keys of all names on the way. */
export type ResolvedName = {
  /** The requested name in canonical form (k51…). */
  name: string
  /** `/ipfs/{cid}` and a path; without `recursive` it may also be `/ipns/…`. */
  value: string
  /** The CID that the value starts with; null if it starts with a name. */
  cid: string | null
  /** Sequence of the requested name. */
  sequence: bigint
  /** Earliest expiry of the records, in ms since 1970. */
  validUntil: number
  /** Time in ms that the result may be cached: the shortest of all records. */
  ttlMs: number
  /** The verified records, from the requested name to the last. */
  records: NameRecord[]
}

/**
 * Resolves a name. The service is not trusted: this machine verifies every record against the name itself, and rejects
 * one older than any that this client has seen.
 * @param name in any form, with or without a path
 * @throws CairnError INVALID_NAME, also if a name points to a domain, which has no signature; NAME_NOT_FOUND,
 *   NAME_EXPIRED, NAME_TOO_DEEP (32 names, or a cycle), INVALID_IPNS_RECORD, IPNS_RECORD_EXPIRED, IPNS_RECORD_OUTDATED
 * @see https://specs.ipfs.tech/ipns/ipns-record/
 */
export async function resolveName(
  client: Client,
  name: string,
  { recursive = true, ...options }: ResolveOptions = {},
): Promise<ResolvedName> {
  const { readTarget } = await loadTools()
  const requested = readTarget(`/ipns/${bare(name)}`)
  if (requested?.kind !== 'name') throw new CairnError('INVALID_NAME')
  const records: NameRecord[] = []
  for (let next = requested; ; ) {
    if (records.length >= maxNameDepth || records.some((record) => record.name === next.root)) {
      throw new CairnError('NAME_TOO_DEEP', { details: { limit: maxNameDepth } })
    }
    const record = await fetchRecord(client, next.root, options)
    records.push(record)
    const value = joinPath(record.value, next.path)
    const target = readTarget(value)
    if (target === undefined) throw new CairnError('INVALID_IPNS_RECORD', { details: { reason: 'value' } })
    if (recursive && target.kind === 'domain') {
      throw new CairnError('INVALID_NAME', {
        message: `The name points to the domain ${target.root}, which cannot be verified`,
        hint: 'Resolve the name without following other names, or open it on the gateway.',
      })
    }
    if (recursive && target.kind === 'name') {
      next = target
      continue
    }
    return {
      name: requested.root,
      value,
      cid: target.kind === 'cid' ? target.root : null,
      sequence: records[0]?.sequence ?? record.sequence,
      validUntil: Math.min(...records.map(({ validUntil }) => validUntil)),
      ttlMs: Math.min(...records.map(({ ttlMs }) => ttlMs)),
      records,
    }
  }
}

/**
 * Fetches the newest record of one name, verifies and stores it.
 * @throws CairnError as resolveName, without following
 */
export async function fetchRecord(client: Client, name: string, options: CallOptions): Promise<NameRecord> {
  const { decodeBase64, readRecord } = await loadTools()
  const { record } = await call(client, resolveNameCall, { params: { name } }, options)
  const verified = await readRecord(name, decodeBase64(record))
  await rememberRecord(client, verified)
  return verified
}

function joinPath(value: string, path: string): string {
  return path === '' ? value : withoutTrailing(value, '/') + path
}
