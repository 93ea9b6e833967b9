import {
  CairnError,
  decodeUploadMetadata,
  describeIssue,
  idempotencyKeyPattern,
  maxNameBytes,
  receivedParametersSchema,
} from '@cairn/protocol'
import * as v from 'valibot'
import { readUploadPath } from '../content/upload-path.ts'
import { readBoundary } from '../multipart/boundary.ts'
import { mimeTypeByName, readMimeType, readUploadSettings, type UploadSettings } from '../uploads/uploads.ts'

/** Description of an upload's bytes, from its `Upload-Metadata`. */
export type UploadMetadata = {
  name: string | undefined
  settings: UploadSettings
  body: { kind: 'file' } | { kind: 'multipart'; boundary: string } | { kind: 'car' }
}

/** Keys of other tus clients for ours. */
const otherKeys: Readonly<Record<string, string>> = { filename: 'name', filetype: 'type' }
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
  const read = openMetadata(header)
  const name = read('filename')
  // An invalid name is reported before the bytes are sent.
  readUploadPath(name)
  const parameters = v.safeParse(receivedParametersSchema, decodeUploadMetadata(read))
  if (!parameters.success) {
    const [issue] = parameters.issues
    throw invalid(describeIssue(issue, v.getDotPath(issue) ?? ''))
  }
  return { name, settings: readUploadSettings(parameters.output, 1), body: readBody(read('body-type')) }
}

/**
 * Returns the part of `Upload-Metadata` that a sender through an upload link may choose: the name of the file, and its media
 * type, by its name if not declared. Everything else is up to the account.
 * @throws CairnError INVALID_REQUEST
 */
export function narrowMetadata(header: string): { metadata: string; contentType: string | undefined } {
  const read = openMetadata(header)
  if (read('body-type') !== undefined) throw invalid('An upload link accepts single files, without body-type')
  const name = read('filename')
  const declared = readMimeType(read('filetype'))
  const pairs = Object.entries({ filename: name, filetype: declared }).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [`${key} ${Buffer.from(value).toString('base64')}`],
  )
  return { metadata: pairs.join(','), contentType: declared ?? (name && mimeTypeByName(name)) ?? undefined }
}

/**
 * Returns the text with which a client can repeat the call that creates an upload.
 * @throws CairnError INVALID_REQUEST
 */
export function readIdempotencyKey(header: string): string | undefined {
  const key = openMetadata(header)('idempotency-key')
  if (key === undefined || idempotencyKeyPattern.test(key)) return key
  throw invalid('idempotency-key must be 16 to 64 letters, digits, - or _')
}

/** Returns only the name, for listings. */
export function readUploadName(header: string): string | null {
  return openMetadata(header)('filename') ?? null
}

/** Returns a reader of the text of a key, or of the key that other tus clients have for it. */
function openMetadata(header: string): (key: string) => string | undefined {
  const values = readPairs(header)
  return (key) => {
    const name = [key, otherKeys[key]].find((one) => one !== undefined && values.has(one))
    return name === undefined ? undefined : decodeText(name, values.get(name) ?? '')
  }
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
