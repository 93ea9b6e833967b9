import { CairnError } from '@cairn/protocol'
import { hashSha256 } from '#platform'

const blockSource = /^block \d+ of chain \d+, (0x[0-9a-f]{64}), salt ([0-9a-f]{32})$/

/**
 * Checks that a nonce is what its source says: SHA-256 over a block's hash, random bytes, the deal and the piece. Whether
 * there is such a block can be looked up on its chain; the nonce is younger than it.
 * @throws CairnError PROOF_INVALID
 */
export async function verifyNonce(check: {
  nonce: string
  nonceSource: string
  dealId: number
  piece: string
}): Promise<void> {
  const { nonce, nonceSource, dealId, piece } = check
  if (nonceSource === 'random') return
  const [, hash, salt] = blockSource.exec(nonceSource) ?? []
  const text = ['cairn/nonce/1', hash, salt, dealId, piece].join('\n')
  if (hash === undefined || toHex(await hashSha256(new TextEncoder().encode(text))) !== nonce) {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The nonce is not from where it says' } })
  }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
