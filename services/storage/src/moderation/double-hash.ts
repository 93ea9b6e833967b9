import { createHash } from 'node:crypto'
import { parseName } from '@cairn/names'
import { blake3 } from '@noble/hashes/blake3.js'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { decode as decodeMultihash } from 'multiformats/hashes/digest'

/** Hash functions of double hashes, by multihash code. */
const functions: ReadonlyMap<number, (text: string) => string> = new Map([
  [0x12, (text: string) => createHash('sha256').update(text).digest('hex')],
  [0x13, (text: string) => createHash('sha512').update(text).digest('hex')],
  [0x1e, (text: string) => Buffer.from(blake3(Buffer.from(text))).toString('hex')],
])
const sha256Code = 0x12

/** The hash of denied content or of a name. */
export type DoubleHash = { hash: number | 'legacy'; digest: string }

/**
 * Parses the text after `//`: a multihash in base58, or the older SHA-256 in hex. Returns both if both are possible.
 * @throws Error with the reason
 */
export function readDoubleHash(text: string): DoubleHash[] {
  const found: DoubleHash[] = []
  if (/^[0-9a-fA-F]{64}$/.test(text)) found.push({ hash: 'legacy', digest: text.toLowerCase() })
  const multihash = readMultihash(text)
  if (multihash !== undefined) {
    const { code, digest } = multihash
    if (!functions.has(code)) throw new Error(`its hash function 0x${code.toString(16)} is not supported`)
    found.push({ hash: code, digest: Buffer.from(digest).toString('hex') })
  }
  if (found.length === 0) throw new Error('its double hash is neither a multihash in base58 nor 64 hex characters')
  return found
}

function readMultihash(text: string) {
  try {
    return decodeMultihash(base58btc.baseDecode(text))
  } catch {
    // A text that does not decode is not a multihash.
    return undefined
  }
}

/** Input of the hash: a CID of content or of a key, or a DNS name, and a path without outer slashes. */
export type HashSubject = { cid: Pick<CID, 'toV1' | 'multihash'>; path: string } | { host: string; path: string }

/** Hashes a request with each function that a list uses. */
export function hashSubject(subject: HashSubject, used: ReadonlySet<DoubleHash['hash']>): DoubleHash[] {
  const { path } = subject
  const below = path === '' ? '' : `/${path}`
  const isDomain = 'host' in subject
  const root = isDomain ? `/ipns/${subject.host}` : base58btc.baseEncode(subject.cid.multihash.bytes)
  const hashes: DoubleHash[] = []
  for (const hash of used) {
    if (hash === 'legacy') {
      const legacyRoot = isDomain ? subject.host : subject.cid.toV1().toString(base32)
      hashes.push({ hash, digest: functions.get(sha256Code)?.(`${legacyRoot}/${path}`) ?? '' })
    } else hashes.push({ hash, digest: functions.get(hash)?.(`${root}${below}`) ?? '' })
  }
  return hashes
}

/** Returns the CID of a name's key, in any format of the name. @throws CairnError INVALID_NAME */
export function cidOfName(name: string): CID {
  return CID.parse(parseName(name), base36)
}
