import { CairnError, ed25519SeedPrefix } from '@cairn/protocol'
import { base64pad } from 'multiformats/bases/base64'
import { readFields, writeFields } from './fields.ts'
import { keyBytes, type NameKey, nameKeyFromSeed } from './name-key.ts'

const ed25519Type = 1n
const maxTextCharacters = 4096
const pemHead = '-----BEGIN PRIVATE KEY-----'
const pemFoot = '-----END PRIVATE KEY-----'
/** DER of a PKCS#8 Ed25519 key before the seed: version 1, and version 2, which has the public key after it. */
const pkcs8 = [
  { head: ed25519SeedPrefix, foot: [] },
  {
    head: [0x30, 0x51, 0x02, 0x01, 0x01, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20],
    foot: [0x81, 0x21, 0x00],
  },
] as const

/**
 * Exports a key as text: `libp2p` is the base64 of the protobuf that `ipfs key import` reads (decode it to a file of
 * raw bytes first), `pem` is PKCS#8 as OpenSSL and `ipfs key import --format=pem-pkcs8-cleartext` read it.
 * @see https://www.rfc-editor.org/rfc/rfc8410
 */
export function exportNameKey(key: NameKey, format: 'libp2p' | 'pem'): string {
  if (format === 'pem') {
    const der = base64pad.baseEncode(Uint8Array.of(...ed25519SeedPrefix, ...key.seed))
    return `${pemHead}\n${der}\n${pemFoot}\n`
  }
  const pair = Uint8Array.of(...key.seed, ...key.publicKey)
  return base64pad.baseEncode(
    writeFields([
      [1, ed25519Type],
      [2, pair],
    ]),
  )
}

/**
 * Parses a key in any form that {@link exportNameKey} or `ipfs key export` writes: protobuf as bytes or base64, or PEM.
 * @throws CairnError INVALID_NAME_KEY also for keys that are not Ed25519, or whose halves do not match
 */
export async function importNameKey(text: string | Uint8Array): Promise<NameKey> {
  const pairs = readPair(text)
  if (pairs === undefined) throw new CairnError('INVALID_NAME_KEY')
  const key = await nameKeyFromSeed(pairs.seed)
  for (const publicKey of pairs.publicKeys) {
    if (!isEqual(publicKey, key.publicKey)) throw new CairnError('INVALID_NAME_KEY')
  }
  return key
}

type Pair = { seed: Uint8Array; publicKeys: Uint8Array[] }

function readPair(input: string | Uint8Array): Pair | undefined {
  if (input.length > maxTextCharacters) return undefined
  if (typeof input !== 'string') {
    const pair = readProtobuf(input)
    if (pair !== undefined || input.some((byte) => byte > 0x7f)) return pair
    return readPair(new TextDecoder().decode(input))
  }
  const text = input.trim()
  const isPem = text.startsWith(pemHead) && text.endsWith(pemFoot)
  const base64 = isPem ? text.slice(pemHead.length, -pemFoot.length) : text
  const bytes = decodeBase64(base64.replaceAll(/\s/g, ''))
  if (bytes === undefined) return undefined
  return isPem ? readPkcs8(bytes) : readProtobuf(bytes)
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return base64pad.baseDecode(text)
  } catch {
    // Not base64, so not a key.
    return undefined
  }
}

/** Some old keys have the public half twice. */
function readProtobuf(bytes: Uint8Array): Pair | undefined {
  const fields = readFields(bytes)
  const data = fields?.get(2)
  if (fields?.size !== 2 || fields.get(1) !== ed25519Type || !(data instanceof Uint8Array)) return undefined
  if (data.length !== 2 * keyBytes && data.length !== 3 * keyBytes) return undefined
  const publicKeys = [data.subarray(keyBytes, 2 * keyBytes)]
  if (data.length === 3 * keyBytes) publicKeys.push(data.subarray(2 * keyBytes))
  return { seed: data.subarray(0, keyBytes), publicKeys }
}

function readPkcs8(bytes: Uint8Array): Pair | undefined {
  for (const { head, foot } of pkcs8) {
    const seedEnd = head.length + keyBytes
    const publicKeyStart = seedEnd + foot.length
    const length = foot.length === 0 ? seedEnd : publicKeyStart + keyBytes
    if (bytes.length !== length || !isEqual(bytes.subarray(0, head.length), head)) continue
    if (!isEqual(bytes.subarray(seedEnd, publicKeyStart), foot)) continue
    const publicKeys = foot.length === 0 ? [] : [bytes.subarray(publicKeyStart)]
    return { seed: bytes.subarray(head.length, seedEnd), publicKeys }
  }
  return undefined
}

function isEqual(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++) difference |= (left[index] ?? 0) ^ (right[index] ?? 0)
  return difference === 0
}
