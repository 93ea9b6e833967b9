import { type BlockSource, UnixfsError } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { type CborHead, readCborHead } from '../content/cbor-head.ts'
import { identityCode, readCidText } from '../content/parse-cid.ts'

export const dagCborCode = 0x71
export const dagJsonCode = 0x0129
export const cborCode = 0x51
export const jsonCode = 0x0200

/** Result of following names inside a document: a link and the remaining names, or a value. */
export type LinkedValue = { link: CID | undefined; remaining: readonly string[] }

/** A value of a document. Reads only what a path needs, because a document of 2 MiB has millions of values. */
type Value = {
  /** Returns the member of a map by its name, or of a list by its number; undefined if there is none. */
  member(name: string): Value | undefined
  /** The link that the value is, if it is one. */
  readonly link: CID | undefined
}

/**
 * Follows names into a document of CBOR or JSON, up to a link or the last name. Only DAG-CBOR and DAG-JSON have links.
 * @throws UnixfsError NOT_FOUND when a name does not exist, BAD_BLOCK, and the source's.
 */
export async function findLinkedValue(
  source: BlockSource,
  cid: CID,
  segments: readonly string[],
  signal: AbortSignal,
): Promise<LinkedValue> {
  const bytes = cid.multihash.code === identityCode ? cid.multihash.digest : await source.get(cid, { signal })
  try {
    return follow(readDocument(cid, bytes), segments)
  } catch (cause) {
    if (UnixfsError.is(cause)) throw cause
    throw new UnixfsError('BAD_BLOCK', 'The document is not valid in its codec', { cid: `${cid}` }, { cause })
  }
}

function follow(document: Value, segments: readonly string[]): LinkedValue {
  let value = document
  for (const [index, segment] of segments.entries()) {
    const next = value.member(segment)
    if (next === undefined) throw new UnixfsError('NOT_FOUND', `The document has no field "${segment}"`)
    const { link } = next
    if (link !== undefined) return { link, remaining: segments.slice(index + 1) }
    value = next
  }
  return { link: undefined, remaining: segments }
}

function readDocument(cid: CID, bytes: Uint8Array): Value {
  if (cid.code === dagCborCode || cid.code === cborCode) return readCbor(bytes, cid.code === dagCborCode)
  if (cid.code === dagJsonCode || cid.code === jsonCode) {
    return ofJson(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), cid.code === dagJsonCode)
  }
  throw new UnixfsError('NOT_FOUND', 'Paths cannot continue inside this block')
}

/** @param hasLinks whether a map with the only name `/` stands for a link or bytes */
function ofJson(value: unknown, hasLinks: boolean): Value {
  const special = hasLinks ? specialOf(value) : undefined
  return {
    member(name) {
      if (typeof value !== 'object' || value === null || special !== undefined) return undefined
      const { enumerable, value: member } = Object.getOwnPropertyDescriptor(value, name) ?? {}
      return enumerable ? ofJson(member, hasLinks) : undefined
    },
    get link() {
      return typeof special === 'string' ? readLink(special) : undefined
    },
  }
}

/** The meaning of a map with the only name `/`: the text of a link, or bytes. */
function specialOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '/')) return undefined
  const values: unknown[] = Object.values(value)
  return values.length === 1 ? values[0] : undefined
}

/** @throws RangeError for a text that is not a CID, or too long to be one: its decoding would take hours */
function readLink(text: string): CID {
  const cid = readCidText(text)
  if (cid === undefined) throw new RangeError('not a CID')
  return cid
}

/**
 * @param hasLinks whether a tag stands for a link
 * @throws RangeError for bytes that are not DAG-CBOR, as far as they are read
 */
function readCbor(bytes: Uint8Array, hasLinks: boolean): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const readHead = (): CborHead => {
    const head = readCborHead(view, at)
    if (head === undefined) throw new RangeError('has an indefinite length, or ends early')
    at = head.end
    return head
  }
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw new RangeError('ends early')
    at += length
    return bytes.subarray(at - length, at)
  }
  /** Nesting costs no stack. */
  const skip = (count: number): void => {
    for (let items = count; items > 0; items--) {
      const { major, value } = readHead()
      if (major === 2 || major === 3) take(value)
      else if (major === 4) items += value
      else if (major === 5) items += 2 * value
      else if (major === 6) items++
    }
  }
  const valueAt = (start: number): Value => ({
    member(name) {
      at = start
      const { major, value } = readHead()
      if (major === 4) {
        if (!/^(?:0|[1-9]\d{0,9})$/.test(name) || Number(name) >= value) return undefined
        skip(Number(name))
        return valueAt(at)
      }
      if (major !== 5) return undefined
      const wanted = Buffer.from(name)
      for (let index = 0; index < value; index++) {
        if (wanted.equals(take(readHead().value))) return valueAt(at)
        skip(1)
      }
      return undefined
    },
    get link() {
      at = start
      return hasLinks && readHead().major === 6 ? CID.decode(take(readHead().value).slice(1)) : undefined
    },
  })
  return valueAt(0)
}
