import { type BlockSource, UnixfsError } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { identityCode, readCidText } from '../content/parse-cid.ts'

export const dagCborCode = 0x71
export const dagJsonCode = 0x0129
export const cborCode = 0x51
export const jsonCode = 0x0200

/** Result of following names inside a document: a link and the remaining names, or a value. */
export type LinkedValue = { link: CID | undefined; remaining: readonly string[] }

/** The parts of a document that paths need: maps and lists by name, links, and `null` for everything else. */
type Value = CID | Map<string, Value> | null

const deepest = 256

/**
 * Follows names into a DAG-CBOR or DAG-JSON document, up to a link or the last name.
 * @throws UnixfsError NOT_FOUND when a name does not exist, BAD_BLOCK, and the source's.
 */
export async function findLinkedValue(
  source: BlockSource,
  cid: CID,
  segments: readonly string[],
  signal: AbortSignal,
): Promise<LinkedValue> {
  const bytes = cid.multihash.code === identityCode ? cid.multihash.digest : await source.get(cid, { signal })
  let value: Value = readDocument(cid, bytes)
  for (const [index, segment] of segments.entries()) {
    const next: Value | undefined = value instanceof Map ? value.get(segment) : undefined
    if (next === undefined) throw new UnixfsError('NOT_FOUND', `The document has no field "${segment}"`)
    if (next instanceof CID) return { link: next, remaining: segments.slice(index + 1) }
    value = next
  }
  return { link: undefined, remaining: segments }
}

function readDocument(cid: CID, bytes: Uint8Array): Value {
  try {
    if (cid.code === dagCborCode) return readCbor(bytes)
    if (cid.code === dagJsonCode)
      return fromJson(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), 0)
  } catch (cause) {
    throw new UnixfsError('BAD_BLOCK', 'The document is not valid in its codec', { cid: `${cid}` }, { cause })
  }
  throw new UnixfsError('NOT_FOUND', 'Paths cannot continue inside this block')
}

function fromJson(value: unknown, depth: number): Value {
  if (depth > deepest) throw new RangeError('too deep')
  if (typeof value !== 'object' || value === null) return null
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && only?.[0] === '/') return typeof only[1] === 'string' ? readLink(only[1]) : null
  return new Map(entries.map(([name, member]) => [name, fromJson(member, depth + 1)]))
}

/** @throws RangeError for a text that is not a CID, or too long to be one: its decoding would take hours */
function readLink(text: string): CID {
  const cid = readCidText(text)
  if (cid === undefined) throw new RangeError('not a CID')
  return cid
}

function readCbor(bytes: Uint8Array): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let at = 0
  const readHead = (): { major: number; value: number; info: number } => {
    const first = view.getUint8(at++)
    const info = first & 31
    const width = info < 24 ? 0 : info < 28 ? 1 << (info - 24) : Number.NaN
    if (Number.isNaN(width)) throw new RangeError('indefinite lengths are not valid DAG-CBOR')
    const value =
      width === 0
        ? info
        : width === 1
          ? view.getUint8(at)
          : width === 2
            ? view.getUint16(at)
            : width === 4
              ? view.getUint32(at)
              : Number(view.getBigUint64(at))
    at += width
    return { major: first >> 5, value, info }
  }
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw new RangeError('ends early')
    at += length
    return bytes.subarray(at - length, at)
  }
  const readValue = (depth: number): Value => {
    if (depth > deepest) throw new RangeError('too deep')
    const { major, value } = readHead()
    if (major === 2 || major === 3) take(value)
    else if (major === 4 || major === 5) {
      if (value > bytes.length - at) throw new RangeError('ends early')
      const members = new Map<string, Value>()
      for (let index = 0; index < value; index++) {
        const name = major === 4 ? String(index) : utf8.decode(take(readHead().value))
        members.set(name, readValue(depth + 1))
      }
      return members
    } else if (major === 6) {
      const link = take(readHead().value)
      return CID.decode(link.slice(1))
    }
    return null
  }
  return readValue(0)
}
