import { CairnError } from '@cairn/protocol'
import { base16 } from 'multiformats/bases/base16'
import { base32, base32upper } from 'multiformats/bases/base32'
import { base36, base36upper } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { isKeyHash } from './public-key.ts'

const libp2pKey = 0x72
const maxCharacters = 200
const bases = base36.decoder
  .or(base32.decoder)
  .or(base58btc.decoder)
  .or(base16.decoder)
  .or(base36upper.decoder)
  .or(base32upper.decoder)

/**
 * Parses an IPNS name in any of its forms and returns the canonical one, a CID of version 1 in base36 (k51…, k2k4…).
 * Accepts CIDs in base36, base32, base58 and base16, and peer ids (12D3Koo…, Qm…), with or without `/ipns/`.
 * @throws CairnError INVALID_NAME also for CIDs of content and for keys other than Ed25519, RSA and secp256k1
 * @see https://specs.ipfs.tech/ipns/ipns-record/#ipns-name
 */
export function parseName(text: string): string {
  return nameOfHash(parseNameHash(text))
}

/** Returns the canonical name for the multihash of a key. */
export function nameOfHash(hash: MultihashDigest): string {
  return CID.createV1(libp2pKey, hash).toString(base36)
}

/**
 * Returns the multihash of the key of a name.
 * @throws CairnError INVALID_NAME
 */
export function parseNameHash(text: string): MultihashDigest {
  const name = text.startsWith('/ipns/') ? text.slice('/ipns/'.length) : text
  if (name.length <= maxCharacters) {
    try {
      const hash = readHash(name)
      if (hash !== undefined && isKeyHash(hash)) return hash
    } catch (cause) {
      throw new CairnError('INVALID_NAME', { cause })
    }
  }
  throw new CairnError('INVALID_NAME')
}

function readHash(name: string): MultihashDigest | undefined {
  if (/^(?:Qm|1)/.test(name)) return decode(base58btc.decode(`z${name}`))
  const cid = CID.parse(name, bases)
  return cid.version === 1 && cid.code === libp2pKey ? cid.multihash : undefined
}
