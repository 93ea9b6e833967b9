import { parseName } from '@cairn/names'
import { CairnError, nameValueCharactersMost } from '@cairn/protocol'
import { CID } from 'multiformats/cid'

export {
  createNameKey,
  createRecord,
  exportNameKey,
  importNameKey,
  isNewer,
  nameKeyFromSeed,
  parseName,
  readRecord,
} from '@cairn/names'

/** A domain with at least one dot. */
const domain = /^(?=.{3,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i

/** A value of a name in its parts. `root` is a CID, a name in canonical form, or a domain. */
export type NameTarget = {
  kind: 'cid' | 'name' | 'domain'
  root: string
  /** What is below the root, with its slash; empty where there is nothing. */
  path: string
}

/**
 * Reads what a name is to point to: a CID, a name, `/ipfs/{cid}` or `/ipns/{name}` with or without a path, or their URLs.
 * @returns the value as it goes into a record
 * @throws CairnError INVALID_NAME_VALUE
 */
export function parseNameValue(text: string): string {
  const trimmed = text.trim().replace(/^(ip[fn]s):\/\//, '/$1/')
  const value = trimmed.startsWith('/') ? trimmed : `/${isContent(trimmed) ? 'ipfs' : 'ipns'}/${trimmed}`
  const target = readTarget(value)
  // A bare word is no domain.
  if (target === undefined || (target.kind === 'domain' && !trimmed.startsWith('/'))) {
    throw new CairnError('INVALID_NAME_VALUE')
  }
  return value
}

/** Refuses a value that leads back to the name itself. @throws CairnError INVALID_NAME_VALUE */
export function requireOther(value: string, name: string): void {
  const target = readTarget(value)
  if (target?.kind !== 'name' || target.root !== name) return
  throw new CairnError('INVALID_NAME_VALUE', { message: 'A name cannot lead to itself' })
}

/** The parts of a value; undefined where it is none. */
export function readTarget(value: string): NameTarget | undefined {
  if (value.length > nameValueCharactersMost || /\p{Cc}/u.test(value)) return undefined
  const [before, namespace, root = '', ...rest] = value.split('/')
  if (before !== '' || rest.includes('.') || rest.includes('..')) return undefined
  const path = rest.length === 0 ? '' : `/${rest.join('/')}`
  if (namespace === 'ipfs') return isContent(root) ? { kind: 'cid', root, path } : undefined
  if (namespace !== 'ipns') return undefined
  const name = readName(root)
  if (name !== undefined) return { kind: 'name', root: name, path }
  return domain.test(root) ? { kind: 'domain', root: root.toLowerCase(), path } : undefined
}

/** The canonical form of a name; undefined where it is none. */
export function readName(text: string): string | undefined {
  try {
    return parseName(text)
  } catch (error) {
    if (CairnError.is(error, 'INVALID_NAME')) return undefined
    throw error
  }
}

const libp2pKey = 0x72

function isContent(text: string): boolean {
  try {
    return CID.parse(text).code !== libp2pKey
  } catch {
    // No CID.
    return false
  }
}

/** Bytes of base64 as the service writes it. @throws CairnError UNEXPECTED_RESPONSE */
export function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { cause })
  }
}

/** Base64 of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
