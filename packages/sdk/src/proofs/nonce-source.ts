import { CairnError, proofReason } from '@cairn/protocol'
import { hashSha256 } from '#platform/native-crypto'
import { toHex } from '../to-hex.ts'

const blockSource = /^block (\d+) of chain (\d+), (0x[0-9a-f]{64}), salt ([0-9a-f]{32})$/

/** Where a nonce is from: random bytes of the service; a block of a chain and random bytes; or something else. */
export type NonceSource =
  | { readonly kind: 'random' | 'other' }
  | {
      readonly kind: 'block'
      readonly block: string
      readonly chainId: string
      readonly hash: string
      readonly salt: string
    }

/** Parses the source that a challenge names. */
export function parseNonceSource(nonceSource: string): NonceSource {
  if (nonceSource === 'random') return { kind: 'random' }
  const [, block, chainId, hash, salt] = blockSource.exec(nonceSource) ?? []
  if (block === undefined || chainId === undefined || hash === undefined || salt === undefined) return { kind: 'other' }
  return { kind: 'block', block, chainId, hash, salt }
}

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
  const source = parseNonceSource(nonceSource)
  if (source.kind === 'random') return
  const { hash, salt } = source.kind === 'block' ? source : {}
  const text = ['cairn/nonce/1', hash, salt, dealId, piece].join('\n')
  if (hash === undefined || toHex(await hashSha256(new TextEncoder().encode(text))) !== nonce) {
    throw new CairnError('PROOF_INVALID', { details: proofReason('NONCE_SOURCE_DIFFERS') })
  }
}
