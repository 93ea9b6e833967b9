import { CairnError, joinUrl } from '@cairn/protocol'
import { maxCidCharacters } from '@cairn/unixfs'
import { base16, base16upper } from 'multiformats/bases/base16'
import { base32, base32upper } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'

// All forms that the specification accepts, and base36, which host names of gateways use.
const bases = base32.decoder
  .or(base58btc.decoder)
  .or(base36.decoder)
  .or(base32upper.decoder)
  .or(base16.decoder)
  .or(base16upper.decoder)

/** A CID and the path segments below it. */
export type ContentPath = { root: CID; segments: string[] }

/**
 * Parses `cid`, `cid/path` or `/ipfs/cid/path`. Segments are literal, not percent-decoded.
 * @throws CairnError INVALID_CID, INVALID_PATH
 */
export function parseContentPath(text: string): ContentPath {
  // Programs without types pass what they did not find.
  if (typeof text !== 'string') throw new CairnError('INVALID_CID')
  const [root = '', ...segments] = text
    .replace(/^\/ipfs\//, '')
    .split('/')
    .filter((part) => part !== '')
  if (segments.some((segment) => segment === '.' || segment === '..')) throw new CairnError('INVALID_PATH')
  // The time that base58 and base36 take grows with the square of the length.
  if (root.length > maxCidCharacters) throw new CairnError('INVALID_CID')
  try {
    return { root: CID.parse(root, bases), segments }
  } catch (cause) {
    throw new CairnError('INVALID_CID', { cause })
  }
}

/** Returns whether a text is a CID, with or without a path. */
export function isContentPath(text: string): boolean {
  try {
    parseContentPath(text)
    return true
  } catch (error) {
    return !CairnError.is(error, 'INVALID_CID')
  }
}

/** Returns the URL of a path at a gateway. */
export function gatewayUrl(gateway: string, { root, segments }: ContentPath): string {
  return joinUrl(gateway, `/ipfs/${[root.toString(), ...segments.map(encodeURIComponent)].join('/')}`)
}
