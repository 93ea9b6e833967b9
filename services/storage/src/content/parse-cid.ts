import { CairnError } from '@cairn/protocol'
import { maxCidCharacters, maxIdentityBytes } from '@cairn/unixfs'
import { base16, base16upper } from 'multiformats/bases/base16'
import {
  base32,
  base32hex,
  base32hexupper,
  base32pad,
  base32padupper,
  base32upper,
  base32z,
} from 'multiformats/bases/base32'
import { base36, base36upper } from 'multiformats/bases/base36'
import { base58btc, base58flickr } from 'multiformats/bases/base58'
import { base64, base64pad, base64url, base64urlpad } from 'multiformats/bases/base64'
import type { MultibaseDecoder } from 'multiformats/bases/interface'
import { CID } from 'multiformats/cid'

/** Multihash code of the identity function: the digest is the data. */
export const identityCode = 0

const decoders = new Map<string, MultibaseDecoder<string>>(
  [
    base16,
    base16upper,
    base32,
    base32hex,
    base32hexupper,
    base32pad,
    base32padupper,
    base32upper,
    base32z,
    base36,
    base36upper,
    base58btc,
    base58flickr,
    base64,
    base64pad,
    base64url,
    base64urlpad,
  ].map((base) => [base.prefix, base.decoder]),
)

/**
 * Parses a CID in any form: version 0, or version 1 in any multibase that fits a URL.
 * @returns undefined when the text is not a CID.
 */
export function readCidText(text: string): CID | undefined {
  if (text.length < 2 || text.length > maxCidCharacters) return undefined
  try {
    const cid = text.length === 46 && text.startsWith('Qm') ? CID.parse(text) : parseVersion1(text)
    if (cid?.multihash.code === identityCode && cid.multihash.size > maxIdentityBytes) return undefined
    return cid
  } catch {
    // Anything that the decoder rejects is not a CID; the caller raises its own error.
    return undefined
  }
}

function parseVersion1(text: string): CID | undefined {
  const decoder = decoders.get(text.slice(0, 1))
  if (decoder === undefined) return undefined
  const cid = CID.parse(text, decoder)
  return cid.version === 1 ? cid : undefined
}

/** Parses a CID. @throws CairnError INVALID_CID */
export function requireCid(text: string): CID {
  const cid = readCidText(text)
  if (cid === undefined) throw new CairnError('INVALID_CID')
  return cid
}

/**
 * Parses a CID, or throws an error that names the path.
 * @throws CairnError INVALID_CID
 */
export function parseCid(text: string, path: string): CID {
  const cid = readCidText(text)
  if (cid !== undefined) return cid
  throw new CairnError('INVALID_CID', { message: `invalid path "${path.slice(0, 200)}": Invalid CID` })
}
