import { parseName } from '@cairn/names'
import { CairnError, nameValueCharactersMost } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { readCidText } from '../gateway/parse-cid.ts'

/** What a name points to: content, another name, or a DNS name; and a path below it. */
export type NameTarget =
  | { kind: 'ipfs'; cid: CID; cidText: string; segments: readonly string[] }
  | { kind: 'ipns'; name: string; segments: readonly string[] }
  | { kind: 'dns'; host: string; segments: readonly string[] }

/** A host name with at least one dot: letters, digits and hyphens, underscores as DNS allows them. */
const hostPattern =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/

/** Whether a text, in lower case, has the form of a DNS name with several labels. */
export function isDnsName(text: string): boolean {
  return hostPattern.test(text)
}

/**
 * Reads a value as records and DNSLinks have it: `/ipfs/{cid}` or `/ipns/{name}`, and a path.
 * @returns undefined for anything else
 */
export function readTarget(value: string): NameTarget | undefined {
  if (value.length > nameValueCharactersMost || hasControls(value)) return undefined
  const [empty, namespace, root = '', ...rest] = value.split('/')
  if (empty !== '' || rest.includes('..') || rest.includes('.')) return undefined
  const segments = rest.filter((segment) => segment !== '')
  if (namespace === 'ipfs') {
    const cid = readCidText(root)
    return cid === undefined ? undefined : { kind: 'ipfs', cid, cidText: root, segments }
  }
  if (namespace !== 'ipns') return undefined
  const name = readName(root)
  if (name !== undefined) return { kind: 'ipns', name, segments }
  const host = root.toLowerCase()
  return isDnsName(host) ? { kind: 'dns', host, segments } : undefined
}

/** The canonical form of a name, or undefined where the text is none. */
export function readName(text: string): string | undefined {
  try {
    return parseName(text)
  } catch (error) {
    if (CairnError.is(error, 'INVALID_NAME')) return undefined
    throw error
  }
}

/**
 * The value that a publication asked for, as it goes into the record: a bare CID becomes `/ipfs/{cid}`.
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

function hasControls(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
