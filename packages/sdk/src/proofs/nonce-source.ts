import { CairnError } from '@cairn/protocol'
import { hashSha256 } from '#platform/native-crypto'
import { toHex } from '../to-hex.ts'

const blockSource = /^block \d+ of chain \d+, (0x[0-9a-f]{64}), salt ([0-9a-f]{32})$/

/**
 * Verifies that a nonce is derived from its source: SHA-256 over a block hash, random bytes, the deal and the piece.
 * Whether the block exists can be checked on its chain; the nonce is younger than the block.
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
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The nonce is not from the source it names' } })
  }
}
