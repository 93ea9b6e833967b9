import { isAnyCid, withoutTrailing } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'

const decoder = base32.decoder.or(base58btc.decoder).or(base36.decoder)

/**
 * Parses a CID as lists and services write it: alone, as `ipfs://…`, or as a URL or path with `/ipfs/…`.
 * @throws CairnError INVALID_CID, also for a path below a CID
 */
export function parseItemCid(text: string): CID {
  const path = text
    .trim()
    .replace(/^ipfs:\/\//, '')
    .replace(/^(?:https?:\/\/[^/]+)?\/ipfs\//, '')
  const bare = withoutTrailing(path, '/?#')
  const fail = (cause?: unknown): never => {
    throw new CairnError('INVALID_CID', { message: `${JSON.stringify(text.slice(0, 100))} is not a CID`, cause })
  }
  // Before the parser: the time that base58 and base36 take grows with the square of the length.
  if (!isAnyCid(bare)) return fail()
  try {
    return CID.parse(bare, decoder)
  } catch (cause) {
    return fail(cause)
  }
}
