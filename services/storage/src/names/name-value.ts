import { readTarget as readParts } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { readCidText } from '../content/parse-cid.ts'

/** Target of a name: content, another name, or a DNS name; and a path below it. */
export type NameTarget =
  | { kind: 'ipfs'; cid: CID; cidText: string; segments: readonly string[] }
  | { kind: 'ipns'; name: string; segments: readonly string[] }
  | { kind: 'dns'; host: string; segments: readonly string[] }

/**
 * Parses a value from a record or DNSLink, with every CID that the gateway accepts.
 * @returns undefined for anything else
 */
export function readTarget(value: string): NameTarget | undefined {
  const parts = readParts(value, (text) => readCidText(text) !== undefined)
  if (parts === undefined) return undefined
  const { kind, root } = parts
  const segments = parts.path.split('/').filter((segment) => segment !== '')
  if (kind === 'name') return { kind: 'ipns', name: root, segments }
  if (kind === 'domain') return { kind: 'dns', host: root, segments }
  const cid = readCidText(root)
  return cid === undefined ? undefined : { kind: 'ipfs', cid, cidText: root, segments }
}

/**
 * Returns the value of a publication for its record: a bare CID becomes `/ipfs/{cid}`.
 * @throws CairnError INVALID_CID, INVALID_NAME_VALUE
 */
export function parseNameValue(text: string): string {
  const value = text.startsWith('/') ? text : text.replace(/^(ip[fn]s):\/\//, '/$1/')
  if (!value.startsWith('/')) {
    if (readCidText(value) === undefined) throw new CairnError('INVALID_CID')
    return `/ipfs/${value}`
  }
  const target = readTarget(value)
  if (target !== undefined) return value
  if (value.startsWith('/ipfs/')) throw new CairnError('INVALID_CID', { message: 'Invalid CID in the path' })
  throw new CairnError('INVALID_NAME_VALUE')
}
