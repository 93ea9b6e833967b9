import type { NameRecord } from '@cairn/names'
import { CairnError, nameDepthMost, resolveName as resolveNameCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { rememberRecord } from './known-names.ts'
import { loadTools } from './load-tools.ts'
import { bare } from './names.ts'

export type ResolveOptions = CallOptions & {
  /** Follows names that lead to names; on unless told. */
  recursive?: boolean
}

/** Where a name leads, as the keys of all names on the way have signed it. */
export type ResolvedName = {
  /** The name asked for, in canonical form (k51…). */
  name: string
  /** `/ipfs/{cid}` and a path; where names were not followed it may also be `/ipns/…`. */
  value: string
  /** The CID that the value begins with; null where it begins with a name. */
  cid: string | null
  /** Of the name asked for. */
  sequence: bigint
  /** When the first of the records ends, ms since 1970. */
  validUntil: number
  /** How long the answer may be kept: the shortest of all. */
  ttlMs: number
  /** The verified records, from the name asked for to the last. */
  records: NameRecord[]
}

/**
 * Finds out where a name leads. The service is not trusted with it: every record is verified here by the name itself, and one
 * older than any that this client has seen is refused.
 * @param name in any form, with or without a path below it
 * @throws CairnError INVALID_NAME, also where a name leads to a domain, which nobody signs for; NAME_NOT_FOUND, NAME_EXPIRED,
 *   NAME_TOO_DEEP (32 names, or names that lead to each other), INVALID_IPNS_RECORD, IPNS_RECORD_EXPIRED,
 *   IPNS_RECORD_OUTDATED
 */
export async function resolveName(
  client: Client,
  name: string,
  { recursive = true, ...options }: ResolveOptions = {},
): Promise<ResolvedName> {
  const { readTarget } = await loadTools()
  const asked = readTarget(`/ipns/${bare(name)}`)
  if (asked?.kind !== 'name') throw new CairnError('INVALID_NAME')
  const records: NameRecord[] = []
  for (let next = asked; ; ) {
    if (records.length >= nameDepthMost || records.some((record) => record.name === next.root)) {
      throw new CairnError('NAME_TOO_DEEP')
    }
    const record = await fetchRecord(client, next.root, options)
    records.push(record)
    const value = joinPath(record.value, next.path)
    const target = readTarget(value)
    if (target === undefined) throw new CairnError('INVALID_IPNS_RECORD', { details: { reason: 'value' } })
    if (recursive && target.kind === 'domain') {
      throw new CairnError('INVALID_NAME', {
        message: `This name leads to the domain ${target.root}, which nothing here can verify`,
        hint: 'Resolve it without following names, or open it at the gateway.',
      })
    }
    if (recursive && target.kind === 'name') {
      next = target
      continue
    }
    return {
      name: asked.root,
      value,
      cid: target.kind === 'cid' ? target.root : null,
      sequence: records[0]?.sequence ?? record.sequence,
      validUntil: Math.min(...records.map(({ validUntil }) => validUntil)),
      ttlMs: Math.min(...records.map(({ ttlMs }) => ttlMs)),
      records,
    }
  }
}

/** The newest record of one name, verified and remembered. @throws CairnError as resolveName, without following */
export async function fetchRecord(client: Client, name: string, options: CallOptions): Promise<NameRecord> {
  const { decodeBase64, readRecord } = await loadTools()
  const { record } = await call(client, resolveNameCall, { params: { name } }, options)
  const verified = await readRecord(name, decodeBase64(record))
  await rememberRecord(client, verified)
  return verified
}

function joinPath(value: string, path: string): string {
  return path === '' ? value : value.replace(/\/+$/, '') + path
}
