import { isCidText, type NameKey, parseName, readTarget } from '@cairn/names'
import { CairnError } from '@cairn/protocol'

export {
  createNameKey,
  createRecord,
  exportNameKey,
  importNameKey,
  isNewer,
  nameKeyFromSeed,
  parseName,
  readName,
  readRecord,
  readTarget,
} from '@cairn/names'
export { decodeBase64, encodeBase64 } from '../base64.ts'

/**
 * Parses the target of a name: a CID, a name, `/ipfs/{cid}` or `/ipns/{name}` with or without a path, or their URLs.
 * @returns the value in the format of a record
 * @throws CairnError INVALID_NAME_VALUE
 */
export function parseNameValue(text: string): string {
  if (typeof text !== 'string') throw new CairnError('INVALID_NAME_VALUE')
  const trimmed = text.trim().replace(/^(ip[fn]s):\/\//, '/$1/')
  const value = trimmed.startsWith('/') ? trimmed : `/${isCidText(trimmed) ? 'ipfs' : 'ipns'}/${trimmed}`
  const target = readTarget(value)
  // A bare word is not a domain.
  if (target === undefined || (target.kind === 'domain' && !trimmed.startsWith('/'))) {
    throw new CairnError('INVALID_NAME_VALUE')
  }
  return value
}

/**
 * Rejects a value that leads back to the name itself.
 * @throws CairnError INVALID_NAME_VALUE
 */
export function requireOther(value: string, name: string): void {
  const target = readTarget(value)
  if (target?.kind !== 'name' || target.root !== name) return
  throw new CairnError('INVALID_NAME_VALUE', { message: 'A name cannot point to itself' })
}

/**
 * Rejects the key of another name.
 * @param name may have a path
 * @throws CairnError INVALID_NAME, INVALID_NAME_KEY
 */
export function requireKeyOf(name: string, key: NameKey): void {
  if (parseName(name.split('/')[0] ?? '') === key.name) return
  throw new CairnError('INVALID_NAME_KEY', { message: `The key belongs to ${key.name}, not to ${name}` })
}
