import { parseCidText, readWholeCid } from '../cids/read-cid.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { cidTag, createCborCursor } from './cbor-cursor.ts'
import type { DagLink } from './dag-pb.ts'

/**
 * Finds the links of a DAG-CBOR block, in order, without building its values; nesting costs no stack.
 * @throws UnixfsError BAD_BLOCK
 * @see https://ipld.io/specs/codecs/dag-cbor/spec/
 */
export function findCborLinks(bytes: Uint8Array): DagLink[] {
  const cursor = createCborCursor(bytes, 'BAD_BLOCK')
  const links: DagLink[] = []
  for (let items = 1; items > 0; items--) {
    const { major, value, info } = cursor.readHead()
    if (major === 2 || major === 3) cursor.readBytes(value)
    else if (major === 4) items += value
    else if (major === 5) items += value * 2
    else if (major === 6) {
      const body = cursor.readHead()
      if (value !== cidTag || body.major !== 2) cursor.fail('a tag that is not a CID')
      const link = cursor.readBytes(body.value)
      if (link[0] !== 0) cursor.fail('a CID that is not binary')
      links.push({ cid: readWholeCid(link.subarray(1), 'BAD_BLOCK'), name: '' })
    } else if (major === 7 && info !== 27 && (info < 20 || info > 22)) cursor.fail('a simple value or short float')
  }
  if (!cursor.atEnd) cursor.fail('bytes after the value')
  return links
}

/**
 * Finds the links of a DAG-JSON block.
 * @throws UnixfsError BAD_BLOCK
 * @see https://ipld.io/specs/codecs/dag-json/spec/
 */
export function findJsonLinks(bytes: Uint8Array): DagLink[] {
  const links: DagLink[] = []
  try {
    const waiting: unknown[] = [JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))]
    while (waiting.length > 0) {
      const value = waiting.pop()
      if (typeof value !== 'object' || value === null) continue
      const members: unknown[] = Object.values(value)
      const [only] = members
      if (members.length === 1 && '/' in value && typeof only === 'string')
        links.push({ cid: parseCidText(only), name: '' })
      else for (let at = members.length - 1; at >= 0; at--) waiting.push(members[at])
    }
  } catch (cause) {
    throw new UnixfsError('BAD_BLOCK', 'Not DAG-JSON', {}, { cause })
  }
  return links
}
