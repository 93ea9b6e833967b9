import { CairnError, isAnyCid } from '@cairn/protocol'
import { base16, base16upper } from 'multiformats/bases/base16'
import { base32, base32upper } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'

const bases = base32.decoder
  .or(base58btc.decoder)
  .or(base16.decoder)
  .or(base16upper.decoder)
  .or(base32upper.decoder)
  .or(base36.decoder)

/**
 * Returns the form of a CID under which key nodes keep its key: version 1 in base32, so that the same content cannot be
 * registered twice under two spellings. Nodes list keys in its order.
 * @throws CairnError INVALID_CID
 */
export function canonicalCid(text: string): string {
  // Before the parser: the time that base58 and base36 take grows with the square of the length.
  if (!isAnyCid(text)) throw new CairnError('INVALID_CID')
  try {
    const cid = text.startsWith('Qm') ? CID.parse(text) : CID.parse(text, bases)
    return cid.toV1().toString(base32)
  } catch (cause) {
    throw new CairnError('INVALID_CID', { cause })
  }
}
