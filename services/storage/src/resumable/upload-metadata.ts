import { CairnError, maxNameBytes } from '@cairn/protocol'
import type { ImportProfile } from '@cairn/unixfs'
import { readUploadPath } from '../content/upload-path.ts'
import { readBoundary } from '../multipart/boundary.ts'
import { readImportProfile, readMimeType } from '../uploads/uploads.ts'

/** Description of an upload's bytes, from its `Upload-Metadata`. */
export type UploadMetadata = {
  name: string | undefined
  mimeType: string | undefined
  storageType: string | undefined
  encryption: boolean
  /** Whether indexers learn of it; undefined when it does not say. */
  announce: boolean | undefined
  wrap: boolean
  profile: ImportProfile
  body: { kind: 'file' } | { kind: 'multipart'; boundary: string } | { kind: 'car' }
}

const maxKeys = 32
const keyPattern = /^[!-+\--~]{1,64}$/
const utf8 = new TextDecoder('utf-8', { fatal: true })
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\x00-\x1f\x7f-\x9f]/

/**
 * Parses `Upload-Metadata`: keys with base64 values, separated by commas. Unknown keys are ignored.
 * @see https://tus.io/protocols/resumable-upload#upload-metadata
 * @throws CairnError INVALID_REQUEST, INVALID_PATH, INVALID_CID_VERSION, INVALID_MULTIPART
 */
export function readUploadMetadata(header: string): UploadMetadata {
  const values = readPairs(header)
  const text = (...names: string[]): string | undefined => {
    const name = names.find((one) => values.has(one))
    return name === undefined ? undefined : decodeText(name, values.get(name) ?? '')
  }
  const name = text('filename', 'name')
  // An invalid name is reported before the bytes are sent.
  readUploadPath(name)
  const profileName = text('profile')
  if (profileName !== undefined && profileName !== 'unixfs-v0-2015' && profileName !== 'unixfs-v1-2025') {
    throw invalid('profile must be unixfs-v0-2015 or unixfs-v1-2025')
  }
  return {
    name,
    mimeType: readMimeType(text('filetype', 'type')),
    storageType: text('storage-type')?.slice(0, 64),
    encryption: text('encryption') === 'true',
    announce: readAnnounce(text('announce')),
    wrap: text('wrap-with-directory') === 'true',
    profile: readImportProfile({ 'cid-version': text('cid-version'), profile: profileName }, 1),
    body: readBody(text('body-type')),
  }
}

/** Returns only the name, for listings. */
export function readUploadName(header: string): string | null {
  return readUploadMetadata(header).name ?? null
}

function readAnnounce(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw invalid('announce must be true or false')
  return text === 'true'
}

function readBody(type: string | undefined): UploadMetadata['body'] {
  if (type === undefined) return { kind: 'file' }
  if (type.trim().toLowerCase() === 'application/vnd.ipld.car') return { kind: 'car' }
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw invalid('body-type must be multipart/form-data with a boundary, or application/vnd.ipld.car')
  }
  return { kind: 'multipart', boundary: readBoundary(type) }
}

function readPairs(header: string): Map<string, string> {
  const values = new Map<string, string>()
  if (header.trim() === '') return values
  for (const pair of header.split(',')) {
    const [key = '', value = '', more] = pair.trim().split(' ')
    if (!keyPattern.test(key) || more !== undefined) throw invalid('A key is malformed')
    if (values.has(key)) throw invalid(`The key ${key} appears twice`)
    values.set(key, value)
    if (values.size > maxKeys) throw invalid(`There are more than ${maxKeys} keys`)
  }
  return values
}

function decodeText(key: string, value: string): string {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.toString('base64') !== value) throw invalid(`The value of ${key} is not base64`)
  if (bytes.length > maxNameBytes * 4) throw invalid(`The value of ${key} is too long`)
  const text = decodeUtf8(key, bytes)
  // Headers cannot contain control characters, base64 can: databases would reject some of them only after all bytes
  // have arrived.
  if (controls.test(text)) throw invalid(`The value of ${key} contains control characters`)
  return text
}

function decodeUtf8(key: string, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new CairnError('INVALID_REQUEST', { message: `Upload-Metadata: the value of ${key} is not UTF-8`, cause })
  }
}

function invalid(what: string): CairnError {
  return new CairnError('INVALID_REQUEST', { message: `Upload-Metadata: ${what}` })
}
