import { CairnError } from '@cairn/protocol'
import { maxIdentityBytes } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'

/** Whether the CID itself contains the block. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === 0
}

/** Returns the block of an identity CID. @throws CairnError INVALID_CID beyond 128 bytes */
export function readIdentityBytes(cid: CID): Uint8Array {
  const { digest } = cid.multihash
  if (digest.length <= maxIdentityBytes) return digest
  throw new CairnError('INVALID_CID', { message: `An identity CID has more than ${maxIdentityBytes} bytes` })
}
